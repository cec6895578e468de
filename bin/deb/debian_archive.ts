import { gzipBytes } from '#oci/write_layer'
import { layerEntries, type LayerEntry } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'

const MAGIC = '!<arch>\n'
const FORMAT = '2.0\n'
const MODE = 0o100644
const ROOT: LayerEntry = { path: '.', isFolder: true }

/** The two parts of a package: what dpkg reads, and what it installs. */
export interface DebianContents {
  readonly control: readonly LayerEntry[]
  readonly data: readonly LayerEntry[]
}

/** A package for dpkg (deb(5)). The same contents and time give the same bytes. */
export async function debianArchive(
  { control, data }: DebianContents,
  modifiedAt: Date
): Promise<Buffer> {
  return Buffer.concat([
    Buffer.from(MAGIC),
    ...member('debian-binary', Buffer.from(FORMAT), modifiedAt),
    ...member('control.tar.gz', await compressedTar(control, modifiedAt), modifiedAt),
    ...member('data.tar.gz', await compressedTar(data, modifiedAt), modifiedAt),
  ])
}

/** Paths begin with a dot, as in the packages of Debian. */
async function compressedTar(files: readonly LayerEntry[], modifiedAt: Date): Promise<Buffer> {
  const entries = layerEntries(files).map((entry) => ({ ...entry, path: `./${entry.path}` }))
  return Buffer.concat(
    await Array.fromAsync(gzipBytes(layerTar([ROOT, ...entries], { modifiedAt })))
  )
}

/** A file in an ar archive, which begins at an even position. */
function member(name: string, bytes: Buffer, modifiedAt: Date): Buffer[] {
  const seconds = Math.floor(modifiedAt.getTime() / 1000)
  const header = [
    name.padEnd(16),
    String(seconds).padEnd(12),
    '0'.padEnd(6),
    '0'.padEnd(6),
    MODE.toString(8).padEnd(8),
    String(bytes.length).padEnd(10),
    '`\n',
  ]
  return [Buffer.from(header.join('')), bytes, Buffer.alloc(bytes.length % 2, '\n')]
}
