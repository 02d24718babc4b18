// Gives memory back to the system.
#ifndef NHE_CMEMORY_H
#define NHE_CMEMORY_H

// Gives back free memory of the heap, and unmaps the pages of the executable and of its libraries that were never written: they are
// still in the page cache, and mapped again when they are used. Takes about a millisecond.
//
// A breakpoint or a uprobe in such a page is lost.
void nhe_give_back_memory(void);

#endif
