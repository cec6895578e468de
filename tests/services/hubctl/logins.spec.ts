import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { CONTEXTS_FILE, Machine } from './hubctl.js'

test.group('Logging in with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    return () => hub.remove()
  })
  group.each.setup(async () => {
    machine = await Machine.createRecord()
    return () => machine.remove()
  })

  test('a login is stored in a file that no other user reads', async ({ assert }) => {
    await machine.login(hub.origin)
    const who = await machine.json('whoami')

    assert.equal(who.name, 'admin')
    assert.equal(who.realm, 'master')
    assert.equal(await machine.modeOf(CONTEXTS_FILE), '600')
    assert.equal(await machine.modeOf('config/hubctl'), '700')
  })

  test('neither password nor token is ever shown', async ({ assert }) => {
    const args = ['login', '--url', hub.origin, '--user', 'admin', '--stdin']
    const { stdout, stderr } = await machine.call(args, { stdin: 'start123' })
    const { contexts } = JSON.parse(String(await machine.read(CONTEXTS_FILE)))
    const [{ tokens }] = Object.values<any>(contexts)
    const listed = await machine.must('context', 'list', '-o', 'json')

    for (const secret of ['start123', tokens.accessToken, tokens.refreshToken]) {
      assert.notInclude(stdout + stderr + listed, secret)
    }
  })

  test('a password is sent to another machine without TLS only on request', async ({ assert }) => {
    const args = ['login', '--url', 'http://192.0.2.1', '--user', 'admin', '--stdin']
    const { code, stderr } = await machine.call(args, { stdin: 'start123' })
    const service = ['--service', 'identity=http://hub.example.org/auth']
    const elsewhere = await machine.call(
      ['login', '--url', hub.origin, ...service, '--user', 'admin', '--stdin'],
      { stdin: 'start123' }
    )
    const mapped = hub.origin.replace('localhost', '127.0.0.1')

    assert.equal(code, 2)
    assert.include(stderr, '--allow-http')
    assert.equal(elsewhere.code, 2)
    assert.include(elsewhere.stderr, 'http://hub.example.org')
    await machine.login(mapped)
  })

  test('a hub whose provider is elsewhere says where to log in', async ({ assert, cleanup }) => {
    const provider = `${hub.origin}/auth`
    const other = await HubProcesses.start('server', {
      variables: { IDENTITY_URL: provider, JOBS: 'none' },
    })
    cleanup(() => other.remove())
    const args = ['login', '--url', other.origin, '--user', 'admin', '--stdin']

    const { code, stderr } = await machine.call(args, { stdin: 'start123' })

    assert.equal(code, 0, stderr)
    assert.include(stderr, `The hub logs in at ${provider}`)
    assert.equal((await machine.json('whoami')).name, 'admin')
    assert.deepEqual(await machine.json('get', 'projects'), [])
  })

  test('what is written to a file is what a login reads', async ({ assert }) => {
    await machine.login(hub.origin)
    const login = async (file: string) => {
      const args = ['login', '--url', hub.origin, '--context', file, '--stdin']
      const ended = await machine.call(args, { stdin: String(await machine.read(file)) })
      const { name, kind, realm } = await machine.json('whoami', '--context', file)
      await machine.must('context', 'use', new URL(hub.origin).host)
      return { code: ended.code, name, kind, realm }
    }
    const to = (file: string) => ['--to', machine.path(file)]
    await machine.must('create', 'realm', 'name=site')
    await machine.must('user', 'invite', 'grace', '--realm', 'site', ...to('first.json'))
    const first = await login('first.json')
    await machine.must('user', 'reset', 'grace', '--realm', 'site', ...to('next.json'))
    const next = await login('next.json')
    const { clientId } = await machine.json('create', 'node', 'name=reader')
    await machine.must('node', 'rotate-credentials', 'reader', '--yes', ...to('node.json'))
    const node = await login('node.json')

    const grace = { code: 0, name: 'grace', kind: 'user', realm: 'site' }
    assert.deepEqual([first, next], [grace, grace])
    assert.containsSubset(node, { code: 0, kind: 'client' })
    assert.isString(clientId)
  })

  test('a wrong password is reported as such', async ({ assert }) => {
    const args = ['login', '--url', hub.origin, '--user', 'admin', '--stdin']
    const { code, stderr } = await machine.call(args, { stdin: 'wrong' })

    assert.equal(code, 3)
    assert.match(stderr, /credentials are invalid/)
    assert.match(stderr, /hubctl login/)
  })

  test('without a terminal, no password is requested', async ({ assert }) => {
    const { code, stderr } = await machine.call(['login', '--url', hub.origin, '--user', 'admin'])

    assert.equal(code, 2)
    assert.include(stderr, '--stdin')
  })

  test('an expired token is renewed, by one of several calls at a time', async ({ assert }) => {
    await machine.login(hub.origin)
    await expire(machine)
    const before = await stored(machine)
    const calls = await Promise.all(
      Array.from({ length: 4 }, () => machine.call(['get', 'nodes', '-o', 'json']))
    )
    const after = await stored(machine)

    assert.deepEqual(
      calls.map(({ code, stderr }) => ({ code, stderr })),
      calls.map(() => ({ code: 0, stderr: '' }))
    )
    assert.notEqual(after.accessToken, before.accessToken)
    assert.notEqual(after.refreshToken, before.refreshToken)
  })

  test('a session that has ended asks for a login', async ({ assert }) => {
    await machine.login(hub.origin)
    const { refreshToken } = await stored(machine)
    await expire(machine)
    await fetch(`${hub.origin}/auth/token/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: refreshToken }),
    })
    const { code, stderr } = await machine.call(['get', 'nodes'])

    assert.equal(code, 3)
    assert.match(stderr, /The login of the context .+ has ended/)
    assert.match(stderr, /hubctl login/)
  })

  test('a client logs in with its secret, and again when its token is over', async ({ assert }) => {
    await machine.login(hub.origin)
    const secret = 'a-secret-of-a-program'
    const body = await machine.write('client.yaml', `name: robot\nsecret: ${secret}\n`)
    await machine.must('create', 'client', '-f', body)
    const args = [
      'login',
      '--url',
      hub.origin,
      '--context',
      'robot',
      '--client',
      'robot',
      '--stdin',
    ]
    const { code, stderr } = await machine.call(args, { stdin: secret })
    await expire(machine, 'robot')
    const who = await machine.json('whoami', '--context', 'robot')

    assert.equal(code, 0, stderr)
    assert.equal(who.kind, 'client')
  })

  test('a token of elsewhere is used as it is', async ({ assert }) => {
    await machine.login(hub.origin)
    const { accessToken } = await stored(machine)
    const other = await Machine.createRecord()
    const args = ['login', '--url', hub.origin, '--token', '--stdin']
    const { code } = await other.call(args, { stdin: accessToken })
    const who = await other.json('whoami')
    await other.remove()

    assert.equal(code, 0)
    assert.equal(who.name, 'admin')
  })

  test('a token goes to the platform it is for, and to no other', async ({ assert }) => {
    await machine.login(hub.origin)
    const elsewhere = hub.origin.replace('127.0.0.1', 'localhost')
    const { code, stderr } = await machine.call(['get', 'nodes', '--url', elsewhere])

    assert.equal(code, 3)
    assert.include(stderr, 'No user is logged in at this platform')
  })

  test('several platforms are stored, and one of them is the current one', async ({ assert }) => {
    await machine.login(hub.origin, 'admin', 'start123', '--context', 'one')
    await machine.must('context', 'set', 'other', '--url', 'https://hub.example.org')
    await machine.must('context', 'use', 'other')
    const contexts = await machine.json('context', 'list')
    await machine.must('context', 'use', 'one')
    await machine.must('context', 'delete', 'other')
    const { code } = await machine.call(['context', 'use', 'other'])

    assert.deepInclude(contexts[0], { name: 'one', current: false, login: 'person' })
    assert.deepInclude(contexts[1], { name: 'other', current: true, login: 'none' })
    assert.equal(code, 2)
  })

  test('a logout ends the session at the provider, too', async ({ assert }) => {
    await machine.login(hub.origin)
    const { accessToken } = await stored(machine)
    await machine.must('logout')
    const response = await fetch(`${hub.origin}/core/nodes`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const { code } = await machine.call(['get', 'nodes'])

    assert.equal(response.status, 401)
    assert.equal(code, 3)
  })

  test('an unavailable server is named, with what to check', async ({ assert }) => {
    const { code, stderr } = await machine.call(['get', 'nodes', '--url', 'http://127.0.0.1:9'])

    assert.equal(code, 7)
    assert.match(stderr, /http:\/\/127\.0\.0\.1:9 cannot be reached/)
    assert.include(stderr, 'hubctl context list')
  })

  test('a server that does not speak TLS at an https address is named as such', async ({
    assert,
  }) => {
    const address = hub.origin.replace('http:', 'https:')
    const { code, stderr } = await machine.call(['get', 'nodes', '--url', address])

    assert.equal(code, 7)
    assert.include(stderr, 'no TLS at this address')
    assert.notInclude(stderr, 'SSL routines')
  })

  test('a refusal names the missing permission', async ({ assert }) => {
    await machine.login(hub.origin)
    await machine.must('user', 'invite', 'nobody', '--to', machine.path('nobody.json'))
    const { password } = JSON.parse(String(await machine.read('nobody.json')))
    await machine.login(hub.origin, 'nobody', password, '--context', 'nobody')
    const { code, stderr } = await machine.call(['create', 'node', 'name=north'])

    assert.equal(await machine.modeOf('nobody.json'), '600')
    assert.equal(code, 4)
    assert.include(stderr, 'The permission node_create is required')
  })
})

async function stored(machine: Machine, name?: string) {
  const { contexts, current } = JSON.parse(String(await machine.read(CONTEXTS_FILE)))
  return contexts[name ?? current].tokens
}

/** Has a token that is kept be over, as far as hubctl knows. */
async function expire(machine: Machine, name?: string): Promise<void> {
  const file = JSON.parse(String(await machine.read(CONTEXTS_FILE)))
  file.contexts[name ?? file.current].tokens.expiresAt = 0
  await machine.write(CONTEXTS_FILE, JSON.stringify(file))
}
