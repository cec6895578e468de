import type { Output } from './output.js'

/** A successful answer that may contain warnings. */
export interface WithWarnings {
  readonly meta: {
    readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  }
}

export function noteWarnings(output: Pick<Output, 'note'>, { meta }: WithWarnings): void {
  meta.warnings?.forEach(({ message }) => output.note(`Warning: ${message}`))
}
