"""Files that let others use a released table: DDI, a data package and a text for analysts."""

from ppworkbench.study.handover.delivery import Delivery
from ppworkbench.study.handover.write import BundleFile, document_names, write_documents

__all__ = ["BundleFile", "Delivery", "document_names", "write_documents"]
