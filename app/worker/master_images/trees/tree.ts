/** An entry of a file tree. Paths are relative, use `/`, and are checked. */
export type TreeEntry =
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  | {
      readonly type: 'file'
      readonly path: string
      readonly size: number
      readonly isExecutable: boolean
      /** Can be read once, before the next entry is requested. Skipped if not read. */
      readonly content: () => AsyncIterable<Uint8Array>
    }

/** Called with the commit of a repository archive, if it names one. */
export type OnCommit = (commit: string) => void

/** The files of an image source, streamed from the beginning on each call. */
export interface Tree {
  /** Name for messages, without credentials. */
  readonly name: string
  entries(signal: AbortSignal, onCommit?: OnCommit): AsyncIterable<TreeEntry>
}
