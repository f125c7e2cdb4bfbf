"""Whether people did what the device said: arms, behaviour classes, anchors and bands."""
