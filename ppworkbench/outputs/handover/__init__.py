"""Files that let others use a released table: DDI, a data package and a text for analysts."""

from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.outputs.handover.write import BundleFile, document_names, write_documents

__all__ = ["BundleFile", "Delivery", "document_names", "write_documents"]
