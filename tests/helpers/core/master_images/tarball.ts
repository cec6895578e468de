import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** An entry of an archive as somebody may have written it, whatever that is. */
export interface TarEntry {
  readonly name: string
  readonly content?: string | Buffer
  /** As tar writes it: `0` a file, `5` a folder, `2` a link, `1` a second name, `3` a device. */
  readonly type?: string
  readonly link?: string
  readonly mode?: number
  /** Said in the header, whatever there is. */
  readonly size?: number
}

/** A repository as an archive: everything is in one folder of it. */
export function tarball(entries: readonly TarEntry[], root = 'images-1a2b3c/'): Buffer {
  return gzipSync(tar(entries.map((entry) => ({ ...entry, name: `${root}${entry.name}` }))))
}

export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    return [header(entry, content.length), content, padding(content.length)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** What stands before an entry with names that are too long for a header. */
export function pax(records: Readonly<Record<string, string>>): TarEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`
    const bytes = Buffer.byteLength(rest)
    const length = [1, 2, 3, 4].find((digits) => String(bytes + digits).length === digits)!
    return `${bytes + length}${rest}`
  })
  return { name: 'pax', type: 'x', content: lines.join('') }
}

/** A file whose name does not fit into a header. */
export const longNamed = (name: string): TarEntry[] => [pax({ path: name }), { name: 'file' }]

function header({ name, type = '0', link = '', mode = 0o644, size }: TarEntry, length: number) {
  const block = Buffer.alloc(BLOCK)
  block.write(name.slice(0, 100), 0)
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  block.write(`${(size ?? length).toString(8).padStart(11, '0')}\0`, 124)
  block.write('        ', 148)
  block.write(type, 156)
  block.write(link.slice(0, 100), 157)
  block.write('ustar\0' + '00', 257)
  const sum = block.reduce((whole, byte) => whole + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

const padding = (length: number) => Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK)
