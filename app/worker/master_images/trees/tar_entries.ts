import { ByteReader } from './byte_reader.js'
import { BoundedCounter, DEFAULT_BOUNDS, type Bounds } from './bounded_counter.js'
import { namesOf, requireInside } from './paths.js'
import { BLOCK, readHeader, readPax, type TarHeader } from './tar_header.js'
import type { OnCommit, TreeEntry } from './tree.js'
import { SourceRejected } from './source_errors.js'

const LARGEST_EXTENSION = 64 * 1024
const COMMIT = /^(?:[\da-f]{40}|[\da-f]{64})$/

/** What is known of an entry before its own header. */
interface Ahead {
  path?: string
  target?: string
  size?: number
}

/**
 * The entries of a tar, as they come. The folder that archives of repositories put everything into is left out. What is neither a
 * file, a folder nor a link within is refused.
 */
export async function* tarEntries(
  source: AsyncIterable<Uint8Array>,
  bounds: Bounds = DEFAULT_BOUNDS,
  onCommit: OnCommit = () => {}
): AsyncGenerator<TreeEntry, void, undefined> {
  const reader = new ByteReader(source)
  const count = new BoundedCounter(bounds)
  try {
    let ahead: Ahead = {}
    for (;;) {
      const header = await nextHeader(reader)
      if (!header) {
        return
      }
      count.entry()
      if (isAhead(header)) {
        ahead = { ...ahead, ...(await extensionOf(reader, header, onCommit)) }
        continue
      }
      const { size = header.size, path = header.name, target = header.linkName } = ahead
      ahead = {}
      count.bytes(size)
      const content = new EntryContent(reader, hasContent(header) ? size : 0)
      const names = path.startsWith('./') ? namesOf(path) : namesOf(path).slice(1)
      if (names.length > 0) {
        yield entryOf({ ...header, name: names.join('/'), linkName: target, size }, content)
      } else if (!isFolder(header)) {
        throw new SourceRejected('its archive has files beside the folder of the repository')
      }
      await content.skip()
    }
  } finally {
    await reader.close()
  }
}

function entryOf(header: TarHeader, content: EntryContent): TreeEntry {
  const { name: path, linkName: target, size, mode } = header
  if (isFolder(header)) {
    return { type: 'folder', path }
  }
  if (header.type === '2') {
    requireInside(path, target)
    return { type: 'link', path, target }
  }
  if (!hasContent(header)) {
    throw new SourceRejected(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
  }
  return {
    type: 'file',
    path,
    size,
    isExecutable: (mode & 0o100) !== 0,
    content: () => content.read(),
  }
}

/** The bytes of one entry, which have to be taken out of the stream whether or not anybody reads them. */
class EntryContent {
  readonly #reader: ByteReader
  readonly #padding: number
  #left: number

  constructor(reader: ByteReader, size: number) {
    this.#reader = reader
    this.#left = size
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of this.#reader.upTo(this.#left)) {
      this.#left -= piece.byteLength
      yield piece
    }
    if (this.#left > 0) {
      throw cutShort()
    }
  }

  async skip(): Promise<void> {
    const rest = this.read()
    for (let isOver = false; !isOver;) {
      const { done = false } = await rest.next()
      isOver = done
    }
    if (this.#padding > 0 && !(await this.#reader.exactly(this.#padding))) {
      throw cutShort()
    }
  }
}

async function nextHeader(reader: ByteReader): Promise<TarHeader | undefined> {
  const block = await reader.exactly(BLOCK)
  if (!block) {
    throw cutShort()
  }
  return readHeader(block)
}

/** What tars say before an entry whose names are too long for its header; `g` is about all entries, and the commit is all in it that counts. */
async function extensionOf(
  reader: ByteReader,
  { type, size }: TarHeader,
  onCommit: OnCommit
): Promise<Ahead> {
  if (size > LARGEST_EXTENSION) {
    throw new SourceRejected('an entry of its archive has a header of more than 64 KiB')
  }
  const padded = await reader.exactly(Math.ceil(size / BLOCK) * BLOCK)
  if (!padded) {
    throw cutShort()
  }
  const bytes = padded.subarray(0, size)
  const name = bytes.toString('utf8').replace(/\0+$/, '')
  switch (type) {
    case 'L':
      return { path: name }
    case 'K':
      return { target: name }
    case 'x':
      return paxAhead(readPax(bytes))
    default:
      tellCommit(readPax(bytes), onCommit)
      return {}
  }
}

/** As `git archive` writes it. */
function tellCommit(said: ReadonlyMap<string, string>, onCommit: OnCommit): void {
  const commit = said.get('comment')
  if (commit !== undefined && COMMIT.test(commit)) {
    onCommit(commit)
  }
}

function paxAhead(said: ReadonlyMap<string, string>): Ahead {
  const size = said.get('size')
  if (size !== undefined && !/^\d{1,15}$/.test(size)) {
    throw new SourceRejected('an entry of its archive has a damaged header')
  }
  return {
    ...(said.has('path') && { path: said.get('path')! }),
    ...(said.has('linkpath') && { target: said.get('linkpath')! }),
    ...(size !== undefined && { size: Number(size) }),
  }
}

const isAhead = ({ type }: TarHeader) => 'xgLK'.includes(type)
const hasContent = ({ type }: TarHeader) => type === '0' || type === '\0' || type === '7'
const isFolder = ({ type, name }: TarHeader) =>
  type === '5' || ((type === '0' || type === '\0') && name.endsWith('/'))

const cutShort = () => new SourceRejected('its archive is truncated')
