import { readBounded } from '#kernel/read_bounded'

/** More than the largest answer that a hub gives, and little enough for the memory of a node. */
const MAX_BYTES = 64 * 1024 ** 2

/** The text of an answer. Throws if it is larger than a node takes, however long it goes on. */
export async function answerText({ body }: Response): Promise<string> {
  const tooLarge = () => new Error(`it has more than ${MAX_BYTES / 1024 ** 2} MiB`)
  const bytes = body ? await readBounded(body, MAX_BYTES, tooLarge) : Buffer.alloc(0)
  return bytes.toString('utf8')
}
