import type { PageRoutes } from '#console/page_routes'
import { liveEvents } from './live_events.js'
import { parseTopics } from './topic.js'

export function liveRoutes(pages: PageRoutes): void {
  pages.stream(
    '/live',
    'streamChanges',
    'Stream which sections of an open page changed',
    ({ hub, session, query }, { signal }) =>
      liveEvents({
        url: hub.address('core'),
        token: session.accessToken,
        topics: parseTopics(query.get('topics') ?? ''),
        signal,
      })
  )
}
