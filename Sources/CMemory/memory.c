#define _GNU_SOURCE  // dl_iterate_phdr
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CMemory.h"

// Only segments that the program may not write: where the dynamic linker has written, which it protects afterwards (RELRO), is in a
// writable segment. Such a page has no other content than its file.
static int unmap_pages(struct dl_phdr_info *object, size_t size, void *page_size) {
    const ElfW(Addr) offset_in_page = *(const ElfW(Addr) *)page_size - 1;
    for (int number = 0; number < object->dlpi_phnum; number++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;
        ElfW(Addr) end = start + segment->p_memsz;
        start &= ~offset_in_page;
        // Refused for pages that are no file's, such as the vDSO's, and for locked ones.
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void nhe_give_back_memory(void) {
    ElfW(Addr) page_size = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    malloc_trim(0);
    dl_iterate_phdr(unmap_pages, &page_size);
}
