import { readBounded } from '#kernel/read_bounded'

/** More than the largest response of a hub, and small enough for the memory of a node. */
const MAX_BYTES = 64 * 1024 ** 2

/** The text of a response. Throws as soon as it exceeds the limit. */
export async function answerText({ body }: Response): Promise<string> {
  const tooLarge = () => new Error(`it has more than ${MAX_BYTES / 1024 ** 2} MiB`)
  const bytes = body ? await readBounded(body, MAX_BYTES, tooLarge) : Buffer.alloc(0)
  return bytes.toString('utf8')
}
