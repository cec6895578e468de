import { eventually } from '#tests/helpers/eventually'

/** An event as a stream brought it. */
export interface StreamedEvent {
  readonly id: string
  readonly name: string
  readonly data: any
}

/** Events that nobody resumes after have no id. */
const EVENT = /(?:id: (.+)\n)?event: (.+)\ndata: (.+)\n\n/g

/** What a stream begins with if it can be resumed before its first event. */
const START = /^id: (.+)\n\n/m

/** Follows an address; the one who does has to leave. */
export async function followed(url: string, headers: object, lastEventId?: string) {
  const leaving = new AbortController()
  const response = await fetch(url, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  })
  let text = ''
  const read = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
    }
  })().catch(() => {})
  const events = (): StreamedEvent[] =>
    [...text.matchAll(EVENT)].map(([, id, name, data]) => ({
      id: id ?? '',
      name: name!,
      data: JSON.parse(data!),
    }))
  return {
    response,
    events,
    /** The id to resume after, if no event came; undefined after a while. */
    async start(): Promise<string | undefined> {
      await eventually(() => START.test(text)).catch(() => {})
      return START.exec(text)?.[1]
    },
    /** Resolves when the stream is over. */
    ended: read,
    /** The events there are once there are so many, or after a while. */
    async until(count: number, withinMs = 10_000): Promise<StreamedEvent[]> {
      await eventually(() => events().length >= count, withinMs).catch(() => {})
      return events()
    },
    async leave(): Promise<void> {
      leaving.abort()
      await read
    },
  }
}
