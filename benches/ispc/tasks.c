/* What code of ispc asks for where it launches tasks: they run one after the other, on the thread that launches them. */

#include <stdint.h>
#include <stdlib.h>

typedef void Task(void *data, int thread, int threads, int task, int tasks, int x, int y, int z, int nx, int ny, int nz);

/* Memory for the arguments of tasks, given back when the tasks have ended. */
struct chunk {
    struct chunk *next;
    void *memory;
};

void *ISPCAlloc(void **group, int64_t size, int32_t alignment) {
    size_t unit = (size_t) alignment < sizeof(void *) ? sizeof(void *) : (size_t) alignment;
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk || posix_memalign(&chunk->memory, unit, (size_t) size)) abort();
    chunk->next = *group;
    *group = chunk;
    return chunk->memory;
}

void ISPCLaunch(void **group, void *task, void *data, int nx, int ny, int nz) {
    int index = 0;
    (void) group;
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) ((Task *) task)(data, 0, 1, index++, nx * ny * nz, x, y, z, nx, ny, nz);
}

void ISPCSync(void *group) {
    for (struct chunk *chunk = group; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk->memory);
        free(chunk);
        chunk = next;
    }
}
