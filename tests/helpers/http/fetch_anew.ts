/** Fetches on a connection of its own: one that was kept open may have been cut since, which only its next request notices. */
export function fetchAnew(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('connection', 'close')
  return fetch(url, { ...init, headers })
}
