import { eventsIn } from '#client/events'
import type { ServerSentEvent } from '#http/event_stream'
import type { StreamHandler } from '#console/page_runner'
import { logPath, logSourceOf, type LogLine } from './log_source.js'

/** Forwards live log lines to a page: exactly what core streams to this user. */
export const streamLog: StreamHandler = async (page, { signal, after }) => {
  const path = logPath(page.uuid('id'), logSourceOf(page.query))
  const response = await page.hub.open('core', path, {
    accept: 'text/event-stream',
    ...(after !== undefined && { 'last-event-id': after }),
  })
  return linesOf(response, signal)
}

async function* linesOf(response: Response, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const reader = eventsIn(response).getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        return
      }
      yield { name: 'line', ...(value.id && { id: value.id }), data: shownFields(value.data) }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Labels are removed, since the page does not show them. */
function shownFields(text: string): string {
  const { time, level, message } = JSON.parse(text) as LogLine
  return JSON.stringify({ time, level, message })
}
