import { publicPrefix } from '#configuration/surfaces'
import { sendRequest } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { isPublic } from '#doctor/public_address'
import { ownToken } from '#doctor/own_token'
import { surfacesElsewhere } from './surfaces.js'
import type { Env } from '#configuration/variables'

/** A list of each surface that the platform's client can read. */
const LISTS = {
  core: '/nodes?page[limit]=1',
  storage: '/buckets?page[limit]=1',
  telemetry: '/events?page[limit]=1',
} as const

type ListedSurface = keyof typeof LISTS

/** Checks that all surfaces use the same session cookie. */
export const cookiesCheck: Check = {
  name: 'cookies',
  async run({ env }) {
    const lists = surfaceLists(env)
    const token = lists.length > 0 ? await tokenFor(env) : undefined
    if (token === undefined) {
      return NOT_USED
    }
    const found = await Promise.all(
      lists.map((list) => checkSurface(list, env.COOKIE_PREFIX, token))
    )
    return found.flat()
  },
}

interface SurfaceList {
  readonly name: string
  readonly url: string
}

function surfaceLists(env: Env): SurfaceList[] {
  const elsewhere = surfacesElsewhere(env)
  return (Object.keys(LISTS) as ListedSurface[]).flatMap((name) => {
    const isHere = isPublic(env) && env.SURFACES.includes(name)
    const here = isHere ? env.PUBLIC_URL + publicPrefix(name, env.SURFACES) : undefined
    const addresses = [here, elsewhere[name]].filter((url) => url !== undefined)
    return addresses.map((url) => ({ name, url: url + LISTS[name] }))
  })
}

async function tokenFor(env: Env): Promise<string | undefined> {
  const answer = await ownToken(env).catch(() => undefined)
  return answer && 'token' in answer ? answer.token : undefined
}

/** Other checks report unavailable surfaces and rejected tokens. */
async function checkSurface(
  { name, url }: SurfaceList,
  prefix: string,
  token: string
): Promise<Finding[]> {
  try {
    const inHeader = await statusOf(url, { authorization: `Bearer ${token}` })
    const inCookie = await statusOf(url, { cookie: `${prefix}access_token=${token}` })
    const differs = inHeader !== 401 && inCookie === 401
    return differs
      ? [finding('COOKIE_PREFIX_DIFFERS', `${name}, which does not read ${prefix}access_token`)]
      : []
  } catch {
    return []
  }
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const { status, body } = await sendRequest(url, { headers })
  await body?.cancel()
  return status
}
