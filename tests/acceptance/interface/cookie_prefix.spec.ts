import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { SERVICES } from './installation.js'
import { ADMINISTRATOR, signIn } from './login.js'
import { CLOSED_PATH, startProduction } from './production.js'
import type { Program } from './program.js'

const PREFIX = 'harbor-'
const PASSWORD = randomBytes(16).toString('hex')

test.group('Interface: COOKIE_PREFIX', (group) => {
  let program: Program
  let token: string

  group.setup(async () => {
    program = await startProduction({
      IDENTITY_EMBEDDED: 'true',
      IDENTITY_ADMIN_PASSWORD: PASSWORD,
      COOKIE_PREFIX: PREFIX,
    })
    return () => program.stop()
  })

  group.setup(async () => {
    const tokenAddress = `${program.origin}/auth/token`
    token = await signIn({ ...ADMINISTRATOR, password: PASSWORD }, tokenAddress)
  })

  async function statusWith(cookie: string, path: string): Promise<number> {
    const response = await fetch(program.origin + path, { headers: { cookie } })
    await response.body?.cancel()
    return response.status
  }

  test('What the service does / Configuration row 7: {$self} reads the cookie with the prefix')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const path = `/${service}${CLOSED_PATH}`
      assert.equal(await statusWith(`${PREFIX}access_token=${token}`, path), 200)
      for (const name of ['access_token', `${PREFIX}_access_token`, `${PREFIX}token`]) {
        assert.equal(await statusWith(`${name}=${token}`, path), 401, name)
      }
    })

  test('Authentication 2: the cookie has the prefix of the installation, verbatim', async ({
    assert,
  }) => {
    assert.equal(await statusWith(`${PREFIX}access_token=${token}`, '/core/nodes'), 200)
    assert.equal(await statusWith(`access_token=${token}`, '/core/nodes'), 401)
  })
})
