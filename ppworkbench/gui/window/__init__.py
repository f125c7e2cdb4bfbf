"""The window itself: what stands around the pages, and demonstrations over them."""
