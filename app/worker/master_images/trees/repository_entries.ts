import { ImageArchiveInvalid } from '#oci/errors'
import { StreamReader } from '#oci/archive/byte_readers'
import { tarEntries, type ReadableEntry, type TarEntry } from '#oci/archive/tar_reader'
import { BoundedCounter, DEFAULT_BOUNDS, type Bounds } from './bounded_counter.js'
import { namesOf, requireInside } from './paths.js'
import { SourceRejected } from './source_errors.js'
import type { OnCommit, TreeEntry } from './tree.js'

const MAX_EXTENSION_BYTES = 64 * 1024
const COMMIT = /^(?:[\da-f]{40}|[\da-f]{64})$/

/**
 * Streams the tar of a repository, without the folder that such archives wrap around their content. Rejects anything but
 * files, folders and symbolic links.
 */
export async function* repositoryEntries(
  source: AsyncIterable<Uint8Array>,
  bounds: Bounds = DEFAULT_BOUNDS,
  onCommit: OnCommit = () => {}
): AsyncGenerator<TreeEntry, void, undefined> {
  const reader = new StreamReader(source)
  const counter = new BoundedCounter(bounds)
  const options = {
    maxEntries: bounds.entries,
    maxExtensionBytes: MAX_EXTENSION_BYTES,
    onGlobalRecords: (records: ReadonlyMap<string, string>) => reportCommit(records, onCommit),
  }
  try {
    for await (const readable of withSourceErrors(tarEntries(reader, options))) {
      const { name, size } = readable.entry
      counter.bytes(size)
      const names = name.startsWith('./') ? namesOf(name) : namesOf(name).slice(1)
      if (names.length > 0) {
        yield treeEntry(names.join('/'), readable)
      } else if (!isFolder(readable.entry)) {
        throw new SourceRejected('its archive has files beside the folder of the repository')
      }
    }
  } finally {
    await reader.close()
  }
}

function treeEntry(path: string, { entry, bytes }: ReadableEntry): TreeEntry {
  const { type, kind, target, size, mode } = entry
  if (isFolder(entry)) {
    return { type: 'folder', path }
  }
  if (type === '2') {
    requireInside(path, target)
    return { type: 'link', path, target }
  }
  if (kind !== 'file') {
    throw new SourceRejected(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
  }
  return {
    type: 'file',
    path,
    size,
    isExecutable: (mode & 0o100) !== 0,
    content: () => withSourceErrors(bytes()),
  }
}

/** Reports a malformed archive as an error of the source. */
async function* withSourceErrors<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* items
  } catch (error) {
    throw error instanceof ImageArchiveInvalid ? new SourceRejected(error.message) : error
  }
}

/** `git archive` writes the commit as a comment. */
function reportCommit(records: ReadonlyMap<string, string>, onCommit: OnCommit): void {
  const commit = records.get('comment')
  if (commit !== undefined && COMMIT.test(commit)) {
    onCommit(commit)
  }
}

const isFolder = ({ type, kind, name }: TarEntry): boolean =>
  type === '5' || (kind === 'file' && name.endsWith('/'))
