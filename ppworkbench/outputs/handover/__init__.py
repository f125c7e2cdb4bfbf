"""Files that let others use a released table: DDI, a data package and a text for analysts."""
