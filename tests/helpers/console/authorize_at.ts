import { at } from '#tests/helpers/application'
import { hiddenFields } from '#tests/functional/identity/browsing'

/** Signs in at the login page that the console redirected to. Returns the address that it redirects back to. */
export async function authorizeAt(
  address: string,
  login: { username: string; password: string; realm?: string }
): Promise<string> {
  const { search } = new URL(address)
  const first = await fetch(at('identity', `/authorize${search}`), { redirect: 'manual' })
  const page = hiddenFields(await first.text())
  const [cookie = ''] = first.headers.getSetCookie().map((set) => set.split(';')[0]!)
  const body = new URLSearchParams({ ...page, realm: 'master', ...login, action: 'sign_in' })
  const answer = await fetch(at('identity', '/authorize'), {
    method: 'POST',
    body,
    headers: { cookie },
    redirect: 'manual',
  })
  const location = answer.headers.get('location')
  if (location === null) {
    throw new Error(`The login page answered ${answer.status}: ${await answer.text()}`)
  }
  return location
}
