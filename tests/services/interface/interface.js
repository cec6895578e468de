/* A web interface in small: it asks the platform for what an interface asks, one request after the other. */
const hub = new URLSearchParams(location.search).get('hub') ?? sessionStorage.getItem('hub')
sessionStorage.setItem('hub', hub)

const kept = () => JSON.parse(sessionStorage.getItem('tokens') ?? 'null')
const bearer = () => ({ authorization: `Bearer ${kept().access_token}` })

async function answered(response) {
  const text = await response.text()
  return { status: response.status, body: text && JSON.parse(text) }
}

const ask = async (path, init = {}) => answered(await fetch(hub + path, init))
const send = (path, fields) => ask(path, { method: 'POST', body: new URLSearchParams(fields) })

const encoded = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const CALLBACK = `${location.origin}/login/callback?redirect=%2Fnodes`

globalThis.ui = {
  heard: [],

  realms: () => ask('/auth/realms?sort=name&page[limit]=50'),

  /** Leaves for the login page. */
  async signIn(realmId) {
    const verifier = encoded(crypto.getRandomValues(new Uint8Array(32)))
    sessionStorage.setItem('verifier', verifier)
    const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    location.href = `${hub}/auth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: 'admin-console',
      realm_id: realmId,
      redirect_uri: CALLBACK,
      scope: 'global',
      state: 'some state',
      code_challenge: encoded(challenge),
      code_challenge_method: 'S256',
    })}`
  },

  /** Exchanges the code that the address of the callback carries. */
  async finish(realmId) {
    const answer = await send('/auth/token', {
      grant_type: 'authorization_code',
      client_id: 'admin-console',
      realm_id: realmId,
      code: new URLSearchParams(location.search).get('code'),
      redirect_uri: CALLBACK,
      code_verifier: sessionStorage.getItem('verifier'),
    })
    sessionStorage.setItem('tokens', JSON.stringify(answer.body))
    return answer
  },

  /** Names no client, as the interface that exists does not. */
  async renew() {
    const answer = await send('/auth/token', {
      grant_type: 'refresh_token',
      refresh_token: kept().refresh_token,
    })
    sessionStorage.setItem('tokens', JSON.stringify(answer.body))
    return answer
  },

  get: (path) => ask(path, { headers: bearer() }),

  post: (path, body) =>
    ask(path, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),

  /** Listens for projects, over a connection that is never made anew. */
  listen(namespace) {
    const socket = globalThis.io(hub + namespace, {
      path: '/core/socket.io',
      auth: { token: kept().access_token },
      reconnection: false,
    })
    socket.on('projectCreated', ({ data }) => ui.heard.push(data.name))
    socket.on('disconnect', () => (ui.ended = performance.now()))
    return new Promise((resolve, reject) => {
      socket.on('connect_error', (error) => reject(error))
      socket.on('connect', () => socket.emit('projectSubscribe', (refused) => resolve(refused)))
    })
  },

  signOut: () => send('/auth/token/revoke', { token: kept().refresh_token }),
}
