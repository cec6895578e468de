import { statfs } from 'node:fs/promises'

import { Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'

const used = new Gauge({
  name: 'worker_images_bytes',
  help: 'Disk that the folder of images takes, as of its last sweep',
  registers: [metrics],
})

const free = new Gauge({
  name: 'worker_images_free_bytes',
  help: 'Disk that is left to the folder of images, as of its last sweep',
  registers: [metrics],
})

/** Records the disk usage of the folder of images and returns the free bytes. */
export async function recordDiskUsage(folder: string, usedBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  used.set(usedBytes)
  free.set(freeBytes)
  return freeBytes
}
