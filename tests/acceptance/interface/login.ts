import { randomUUID } from 'node:crypto'

import { isForeign, providerAddress } from './installation.js'

/** The initial user, with the default password. */
export const ADMINISTRATOR = { username: 'admin', password: 'start123' }

let administrator: Promise<string> | undefined

/**
 * A token with all permissions: ACCESS_TOKEN if set, else one issued by the program started here.
 */
export function accessToken(): Promise<string> {
  const given = process.env.ACCESS_TOKEN
  if (given) {
    return Promise.resolve(given)
  }
  if (isForeign('core')) {
    throw new Error('Set ACCESS_TOKEN to a token of the installation that CORE_URL names.')
  }
  return (administrator ??= signIn(ADMINISTRATOR))
}

/** The token of a user who signs in with a password. */
export async function signIn(
  person: { username: string; password: string },
  tokenAddress = providerAddress('/token')
): Promise<string> {
  const { access_token: token } = await sent(tokenAddress, { grant_type: 'password', ...person })
  return token
}

/** The token of a client, whose secret the provider shows to the administrator. */
export async function signInClient(id: string): Promise<string> {
  const { data } = await asAdministrator(`/clients/${id}?fields=%2Bsecret`, undefined, 'GET')
  const { access_token: token } = await sent(providerAddress('/token'), {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: data.secret,
  })
  return token
}

/** Whether tests can create users: only with the provider of the program started here. */
export function canInvite(): boolean {
  return !isForeign('core') && !process.env.ACCESS_TOKEN
}

export const CANNOT_INVITE = 'only the provider of a program started here lets tests make people up'

const guests = new Map<string, Promise<string>>()

/**
 * The token of a user who holds exactly these permissions. Whoever asks for the same ones gets the same user, who goes with
 * the program: hashing passwords takes most of the time of these tests.
 */
export function invite(permissions: readonly string[]): Promise<string> {
  const granted = permissions.toSorted().join()
  const guest = guests.get(granted) ?? newGuest(permissions)
  guests.set(granted, guest)
  return guest
}

async function newGuest(permissions: readonly string[]): Promise<string> {
  const person = { username: `guest-${randomUUID()}`, password: randomUUID() }
  const { data: user } = await asAdministrator('/users', {
    name: person.username,
    password: person.password,
  })
  for (const name of permissions) {
    const { data } = await asAdministrator(`/permissions?filter[name]=${name}`, undefined, 'GET')
    await asAdministrator('/user-permissions', { userId: user.id, permissionId: data[0].id })
  }
  return signIn(person)
}

async function asAdministrator(path: string, body?: object, method = 'POST') {
  return sent(providerAddress(path), body, method, await accessToken())
}

async function sent(url: string, body?: object, method = 'POST', token?: string): Promise<any> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) {
    throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}`)
  }
  return response.json()
}
