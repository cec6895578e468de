import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import type { ImageStore } from '#oci/image_store'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'

/** Of Debian's package busybox-static. */
const BUSYBOX = '/bin/busybox'
const PROGRAMS = ['sh', 'cat', 'mkdir', 'env', 'sleep', 'echo', 'true']

/** A system that runs, as small as can be: a shell and what shells need. */
export async function putBusybox(store: ImageStore, repository: string): Promise<string> {
  const { size } = await stat(BUSYBOX)
  const files = PROGRAMS.map((name) => ({
    path: `bin/${name}`,
    size,
    mode: 0o755,
    open: () => createReadStream(BUSYBOX),
  }))
  return putTinyImage(store, repository, files)
}
