/** What an answer without an end has said so far, and when it is over. */
export function streamedText({ body }: Response) {
  let text = ''
  const read = async () => {
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
    }
  }
  return { text: () => text, ended: read().catch(() => {}) }
}
