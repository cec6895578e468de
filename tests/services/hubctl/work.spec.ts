import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { Machine } from './hubctl.js'
import { Terminal } from './terminal.js'

/** A project of the master realm with a node of its own and one of another realm, whose administrator is logged in, too. */
test.group('Projects and analyses with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    await machine.login(hub.origin, 'admin', 'start123', '--context', 'master')
    await prepare(machine, hub)
    return async () => {
      await hub.remove()
      await machine.remove()
    }
  })

  test('a realm decides for its nodes, and learns who must decide for the others', async ({
    assert,
  }) => {
    const pending = await machine.json('project', 'pending', '--context', 'clinic')
    const dry = await machine.call([
      'project',
      'approve',
      'study',
      '--dry-run',
      '--context',
      'clinic',
    ])
    const first = await machine.call([
      'project',
      'approve',
      'study',
      '--comment',
      'fine',
      '-o',
      'json',
      '--context',
      'clinic',
    ])
    const remaining = await machine.json('project', 'pending')
    const rest = await machine.call(['project', 'approve', 'study'])
    const none = await machine.must('project', 'pending')

    assert.deepEqual(sorted(pending, 'node'), ['clinic-node', 'own-node'])
    assert.equal(dry.code, 0, dry.stderr)
    assert.equal(first.code, 0, first.stderr)
    assert.deepEqual(
      JSON.parse(first.stdout)
        .map(({ node, result }: any) => [node, result])
        .toSorted(),
      [
        ['clinic-node', 'approved'],
        ['own-node', 'not yours'],
      ]
    )
    assert.deepEqual(
      remaining.map(({ node, realm }: any) => [node, realm]),
      [['own-node', 'master']]
    )
    assert.equal(rest.code, 0, rest.stderr)
    assert.match(rest.stdout, /own-node +master +approved/)
    assert.equal(none, '')
  })

  test('an operator decides for other realms only where they are named, and says that it is meant', async ({
    assert,
  }) => {
    await machine.must('create', 'project', 'name=joint')
    for (const node of ['own-node', 'clinic-node']) {
      await machine.must('create', 'project-node', 'projectId=joint', `nodeId=${node}`)
    }
    const unasked = await machine.call(['project', 'approve', 'joint'])
    const prompted = await machine.call(['project', 'approve', 'joint', '--realm', 'clinic'])
    const terminal = Terminal.open(machine, ['project', 'reject', 'joint', '--node', 'clinic-node'])
    await terminal.until(/on behalf of the realm clinic \(clinic-node\)\?/)
    terminal.type('\r')
    const refused = await terminal.end()
    const undecided = await machine.json('project', 'pending')
    const intended = ['project', 'approve', 'joint', '--realm', 'clinic', '--as-operator']
    const approved = await machine.must(...intended)

    assert.equal(unasked.code, 8)
    assert.match(unasked.stdout, /own-node +master +approved/)
    assert.match(unasked.stdout, /clinic-node +clinic +not yours/)
    assert.include(unasked.stderr, '--realm <realm>')
    assert.equal(prompted.code, 2)
    assert.include(prompted.stderr, '--as-operator')
    assert.equal(refused, 130)
    assert.deepEqual(sorted(undecided, 'node'), ['clinic-node'])
    assert.match(approved, /clinic-node +clinic +approved/)
  })

  test('a decision about one node may be withdrawn', async ({ assert }) => {
    await machine.must('project', 'reject', 'study', '--node', 'own-node', '--comment', 'not now')
    const [rejected] = await machine.json('get', 'project-nodes', '-f', 'approvalStatus=rejected')
    await machine.must('project', 'approve', 'study', '--node', 'own-node')
    const again = await machine.json('get', 'project-nodes', '-f', 'approvalStatus=rejected')

    assert.equal(rejected.comment, 'not now')
    assert.lengthOf(again, 0)
  })

  test('an analysis that is not complete reports what is missing and who must act', async ({
    assert,
  }) => {
    const { code, stderr } = await machine.call(['analysis', 'lock', 'trial'])
    const unlocked = await machine.call(['analysis', 'unlock', 'trial'])
    const { id } = await machine.json('get', 'analysis', 'trial')
    const byId = await machine.must('analysis', 'explain', id)
    const reported = await machine.must('analysis', 'explain', 'trial')
    const explained = await machine.json('analysis', 'explain', 'trial')

    assert.equal(code, 6)
    assert.include(stderr, 'hubctl analysis explain trial')
    assert.include(reported, 'trial is in the phase configuration')
    assert.match(
      reported,
      /✘ not yet for \d+[smh]: a file of the code is chosen as its entrypoint\n +must act: realm master/
    )
    assert.include(reported, 'hubctl analysis entrypoint trial <path>')
    assert.equal(unlocked.code, 6)
    assert.include(unlocked.stderr, 'lock it with hubctl analysis lock')
    assert.match(byId, /^trial is in the phase/)
    assert.isFalse(explained.ready)
  })

  test('the nodes of an analysis are decided about in the same way', async ({ assert }) => {
    const approve = ['analysis', 'approve', 'trial', '--node', 'own-node']
    const changed = await machine.call([...approve, '--digest', 'a'.repeat(64)])
    const planned = await machine.must(...approve, '--dry-run')
    const { code, stdout } = await machine.call(approve)
    const timeline = await machine.json('analysis', 'timeline', 'trial')

    assert.equal(changed.code, 6)
    assert.include(changed.stderr, 'changed since you read it')
    assert.match(planned, /"contentDigest":"[\da-f]{64}"/)
    assert.equal(code, 0)
    assert.match(stdout, /own-node +master +approved/)
    assert.include(
      timeline.map(({ source }: any) => source),
      'approval'
    )
  })

  test('lines of an analysis are shown, and followed', async ({ assert }) => {
    const child = machine.start(['analysis', 'logs', 'trial', '--follow', '--node', 'own-node'])
    const lines = createInterface(child.stdout)
    const { id: analysisId } = await machine.json('get', 'analysis', 'trial')
    const { id: nodeId } = await machine.json('get', 'node', 'own-node')
    const seen: string[] = []
    const written = new AbortController()
    const writing = (async () => {
      for (let count = 1; !written.signal.aborted; count += 1) {
        const attributes = [`analysisId=${analysisId}`, `nodeId=${nodeId}`, `message=step ${count}`]
        await machine.call(['create', 'analysis-node-logs', ...attributes])
      }
    })()
    for await (const line of lines) {
      seen.push(line)
      if (seen.length >= 2) {
        break
      }
    }
    written.abort()
    child.kill('SIGINT')
    await Promise.all([writing, once(child, 'exit')])
    const stored = await machine.must('analysis', 'logs', 'trial')

    assert.match(seen[0]!, /^\d{4}-\S+Z info {2}own-node: step \d+$/)
    assert.include(stored, 'own-node: step 1')
  })

  test('new credentials go into a file of their owner, and nowhere else', async ({ assert }) => {
    const file = machine.path('node.json')
    const output = await machine.must(
      'node',
      'rotate-credentials',
      'own-node',
      '--to',
      file,
      '--yes'
    )
    const { id, secret } = JSON.parse(String(await machine.read('node.json')))
    const again = await machine.call([
      'node',
      'rotate-credentials',
      'own-node',
      '--to',
      file,
      '--yes',
    ])
    const login = await fetch(`${hub.origin}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
      }),
    })

    assert.equal(await machine.modeOf('node.json'), '600')
    assert.notInclude(output, secret)
    assert.equal(login.status, 200)
    assert.equal(again.code, 2)
    assert.include(again.stderr, 'exists already')
  })

  test('events are followed as they happen', async ({ assert }) => {
    const child = machine.start(['events', 'tail', '--limit', '1', '--filter', 'refType=project'])
    const lines = createInterface(child.stdout)
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(line)
      if (seen.length === 1) {
        await machine.must('create', 'project', 'name=noticed')
      } else {
        break
      }
    }
    child.kill('SIGINT')
    await once(child, 'exit')

    assert.match(seen[1]!, /^\S+Z created project\/noticed by admin$/)
  })

  test('nodes are shown with the messages that wait for them', async ({ assert }) => {
    const { clientId } = await machine.json('create', 'node', 'name=waiting-node')
    const before = await machine.must('node', 'presence', 'waiting-node')
    await send(hub, machine, { recipients: [{ type: 'client', id: clientId }], data: 'sealed' })
    const presence = await machine.call(['node', 'presence', 'waiting-node'])
    const { mailbox } = await machine.json('node', 'presence', 'waiting-node')
    const table = await machine.must('get', 'nodes', '--filter', 'name=waiting-node')

    assert.notInclude(before, 'waits')
    assert.include(presence.stdout + presence.stderr, 'One message waits, the oldest since')
    assert.containsSubset(mailbox, { clientId, messages: 1, hasMore: false })
    assert.match(table, /oldest message/i)
  })

  test('messages are shown and stay in the mailbox', async ({ assert }) => {
    const { id } = await machine.json('whoami')
    const sent = await send(hub, machine, { recipients: [{ type: 'user', id }], data: 'sealed' })
    const first = await machine.must('messages', 'peek')
    const again = await machine.json('messages', 'peek')

    assert.equal(sent, 202)
    assert.match(first, /^ID +SENDER +SIZE +AGE\n[0-9a-f-]{36} +user [0-9a-f]{8} +8 B +\d+s\n$/)
    assert.equal(again[0].data, 'sealed')
  })

  test('the audit trail is checked, and exported with its proof', async ({ assert }) => {
    const verdict = await machine.json('audit', 'verify')
    await machine.must('audit', 'export', '--to', machine.path('trail.ndjson'))
    const [first] = String(await machine.read('trail.ndjson')).split('\n')

    assert.isTrue(verdict.intact)
    assert.property(JSON.parse(first!), 'trail')
    assert.equal(await machine.modeOf('trail.ndjson'), '600')
  })

  test('who did what is found by name and record', async ({ assert }) => {
    await machine.must('create', 'project', 'name=searched')
    await eventually(async () => {
      const found = await machine.must(
        'events',
        'search',
        '--kind',
        'project',
        '--record',
        'searched'
      )
      return found.includes('created project/searched by admin')
    })
    const byActor = await machine.must('events', 'search', '--actor', 'admin', '--limit', '1')
    const ofNobody = await machine.call(['events', 'search', '--actor', 'nobody-of-this-name'])

    assert.match(byActor, / by admin\n$/)
    assert.equal(ofNobody.code, 5)
  })

  test('people get roles, lose them, are shut out and let in again', async ({ assert }) => {
    const { password } = await invite(machine, 'ada')
    await machine.must(
      'user',
      'grant',
      'ada',
      '--role',
      'researcher',
      '--permission',
      'node_create'
    )
    await machine.must('user', 'grant', 'ada', '--role', 'researcher')
    await loginAs(machine, hub, 'ada', password)
    const { permissions } = await machine.json('whoami', '--context', 'ada')
    await machine.must('user', 'revoke', 'ada', '--permission', 'node_create')
    const after = await machine.json('whoami', '--context', 'ada')
    const sessions = await machine.json('user', 'sessions', 'ada')
    await machine.must('user', 'end-sessions', 'ada')
    const signedOut = await machine.call(['get', 'nodes', '--context', 'ada'])
    await machine.must('user', 'disable', 'ada')
    const { code } = await machine.call(['get', 'nodes', '--context', 'ada'])
    await machine.must('user', 'enable', 'ada')
    await machine.must('user', 'reset', 'ada', '--to', machine.path('ada-2.json'))
    const next = JSON.parse(String(await machine.read('ada-2.json')))
    await loginAs(machine, hub, 'ada', next.password)

    assert.includeMembers(permissions, ['node_create', 'project_create'])
    assert.notInclude(after.permissions, 'node_create')
    assert.include(after.permissions, 'project_create')
    assert.isNotEmpty(sessions)
    assert.equal(signedOut.code, 3)
    assert.equal(code, 3)
  })
})

function sorted(records: any[], attribute: string): string[] {
  return records.map((record) => record[attribute]).toSorted()
}

async function send(hub: HubProcesses, machine: Machine, message: object): Promise<number> {
  const { status } = await fetch(`${hub.origin}/messenger/messages`, {
    method: 'POST',
    headers: await machine.headers(),
    body: JSON.stringify(message),
  })
  return status
}

async function invite(machine: Machine, name: string, ...more: string[]) {
  await machine.must('user', 'invite', name, '--to', machine.path(`${name}.json`), ...more)
  return JSON.parse(String(await machine.read(`${name}.json`))) as { password: string }
}

/** Keeps another login beside that of the master realm, which stays the current one. */
async function loginAs(
  machine: Machine,
  hub: HubProcesses,
  context: string,
  password: string,
  user = context,
  ...more: string[]
): Promise<void> {
  await machine.login(hub.origin, user, password, '--context', context, ...more)
  await machine.must('context', 'use', 'master')
}

async function prepare(machine: Machine, hub: HubProcesses): Promise<void> {
  const realm = await machine.json('create', 'realm', 'name=clinic')
  const { password } = await invite(machine, 'doctor', '--realm', 'clinic', '--role', 'researcher')
  await loginAs(machine, hub, 'clinic', password, 'doctor', '--realm', 'clinic')
  const own = await machine.json('create', 'node', 'name=own-node')
  const theirs = await machine.json('create', 'node', 'name=clinic-node', `realmId=${realm.id}`)
  const project = await machine.json('create', 'project', 'name=study')
  for (const { id } of [own, theirs]) {
    await machine.must('create', 'project-node', `projectId=${project.id}`, `nodeId=${id}`)
  }
  const analysis = await machine.json('create', 'analysis', 'name=trial', `projectId=${project.id}`)
  await machine.call(['create', 'analysis-node', `analysisId=${analysis.id}`, `nodeId=${own.id}`])
}
