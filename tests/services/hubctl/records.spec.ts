import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { test } from '@japa/runner'
import { parse } from 'yaml'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { Machine } from './hubctl.js'

test.group('Records with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    await machine.login(hub.origin)
    return async () => {
      await hub.remove()
      await machine.remove()
    }
  })

  test('every kind that is published can be listed, and its list ends', async ({ assert }) => {
    const kinds = await machine.json<{ name: string; commands: string }[]>('kinds')
    const listed = kinds.filter(({ name }) => !/-?logs?$/.test(name))
    for (const { name } of listed) {
      const { code, stderr } = await machine.call(['get', name, '-o', 'json'])

      assert.equal(code, 0, `${name}: ${stderr}`)
    }
    assert.includeMembers(
      kinds.map(({ name }) => name),
      ['node', 'project', 'analysis', 'bucket', 'event', 'user', 'role-permission']
    )
  }).timeout(600_000)

  test('a record is made, read, changed and deleted by its name', async ({ assert }) => {
    const created = await machine.json('create', 'node', 'name=changing', 'type=default')
    const read = await machine.json('get', 'node', 'changing')
    const changed = await machine.json('update', 'node', 'changing', 'hidden=true')
    const described = parse(await machine.must('describe', 'nodes', created.id, '-o', 'yaml'))
    await machine.must('delete', 'node', 'changing', '--yes')
    const deleted = await machine.call(['get', 'node', 'changing'])

    assert.equal(read.id, created.id)
    assert.isTrue(changed.hidden)
    assert.isTrue(described.hidden)
    assert.equal(deleted.code, 5)
    assert.include(deleted.stderr, 'There is no node called "changing"')
  })

  test('records that another one refers to are meant by their names', async ({ assert }) => {
    const realm = await machine.json('create', 'realm', 'name=referred')
    const node = await machine.json('create', 'node', 'name=referring', 'realmId=referred')
    const unknown = await machine.call(['create', 'node', 'name=lost', 'realmId=nowhere'])
    const dry = await machine.must(
      ...['create', 'node', 'name=tried', 'realmId=referred', '--dry-run']
    )

    assert.equal(node.realmId, realm.id)
    assert.equal(unknown.code, 5)
    assert.include(unknown.stderr, 'There is no realm called "nowhere"')
    assert.include(dry, realm.id)
  })

  test('shells complete kinds, names of records, and contexts', async ({ assert }) => {
    await machine.must('create', 'project', 'name=completed-study')
    const complete = (...words: string[]) => machine.must('complete', '--', ...words)
    const [kinds, names, projects, contexts, elsewhere] = [
      await complete('get', 'proj'),
      await complete('describe', 'projects', 'compl'),
      await complete('project', 'approve', 'compl'),
      await complete('context', 'use', ''),
      await complete('--url', 'http://127.0.0.1:7', 'project', 'approve', ''),
    ]
    const values = [
      await complete('get', 'nodes', '--sort', ''),
      await complete('get', 'nodes', '-o', ''),
      await complete('project', 'approve', '--realm', 'mas'),
      await complete('--context', ''),
      await complete('project', 'approve', '--realm', 'master', 'compl'),
    ]

    assert.match(kinds, /^projects\t/m)
    assert.notMatch(kinds, /^nodes\t/m)
    assert.match(names, /^completed-study\t/m)
    assert.match(projects, /^completed-study\t/m)
    assert.include(contexts, new URL(hub.origin).host)
    assert.match(elsewhere, /^:4$/m)
    for (const [index, value] of [
      'updatedAt',
      'yaml',
      'master',
      new URL(hub.origin).host,
      'completed-study',
    ].entries()) {
      assert.match(values[index]!, new RegExp(`^${value}\\t`, 'm'))
    }
  })

  test('attributes come from a file, from standard input, and from arguments besides', async ({
    assert,
  }) => {
    const file = await machine.write('project.yaml', 'name: from-file\ndescription: of a file\n')
    const { stdout } = await machine.call(['create', 'project', '-f', '-', '-o', 'json'], {
      stdin: '{"name":"from-stdin"}',
    })
    const project = await machine.json('create', 'project', '-f', file, 'displayName=A file')

    assert.equal(JSON.parse(stdout).name, 'from-stdin')
    assert.deepInclude(project, {
      name: 'from-file',
      displayName: 'A file',
      description: 'of a file',
    })
  })

  test('an editor changes what it changed, and nothing else', async ({ assert }) => {
    const { id, createdAt } = await machine.json('create', 'project', 'name=edited')
    const editor = await machine.write(
      'editor.sh',
      'sed -i "s/^displayName:.*/displayName: New/" "$1"\n'
    )
    const { code, stderr } = await machine.call(['edit', 'project', 'edited'], {
      env: { EDITOR: `sh ${editor}` },
    })
    const after = await machine.json('get', 'project', id)

    assert.equal(code, 0, stderr)
    assert.deepInclude(after, { name: 'edited', displayName: 'New', createdAt })
  })

  test('an edit that is refused stays in its file, which the message names', async ({ assert }) => {
    await machine.must('create', 'project', 'name=refused')
    const editor = await machine.write(
      'typed.sh',
      'echo "name: [x" >> "$1"; echo "# typed" >> "$1"\n'
    )
    const { code, stderr } = await machine.call(['edit', 'project', 'refused'], {
      env: { EDITOR: `sh ${editor}` },
    })
    const [, file] = /Your changes are in (\S+)\. Correct/.exec(stderr) ?? []

    assert.equal(code, 2, stderr)
    assert.include(String(await readFile(file!)), '# typed')
    await rm(dirname(file!), { recursive: true })
  })

  test('files hold several records, and are applied as often as one likes', async ({ assert }) => {
    const list = await machine.write('list.json', '[{"name":"listed-a"},{"name":"listed-b"}]')
    const created = await machine.json('create', 'project', '-f', list)
    const file = await machine.write(
      'study.yaml',
      [
        'kind: project\nname: applied\ndisplayName: First',
        'kind: node\nname: applied-node\nhidden: false',
        'kind: project-node\nprojectId: applied\nnodeId: applied-node',
      ].join('\n---\n')
    )
    const first = await machine.call(['apply', '-f', file])
    const again = await machine.must('apply', '-f', file)
    const shown = await machine.must('get', 'project', 'applied', '-o', 'yaml')
    const { stdout } = await machine.call(['apply', 'project', '-f', '-'], {
      stdin: shown.replace('First', 'Second'),
    })
    const partly = await machine.call(['apply', '-f', '-', '-o', 'json'], {
      stdin: '[{"kind":"node","nmae":"x"},{"kind":"project","name":"applied-last"}]',
    })
    const after = await machine.json('get', 'project', 'applied')

    assert.sameMembers(
      created.map(({ name }: { name: string }) => name),
      ['listed-a', 'listed-b']
    )
    assert.equal(first.code, 0, first.stderr)
    assert.equal(first.stdout.match(/was created/g)?.length, 3, first.stdout)
    assert.equal(again.match(/is unchanged/g)?.length, 3, again)
    assert.include(stdout, 'was updated')
    assert.equal(after.displayName, 'Second')
    assert.equal(partly.code, 8, partly.stderr)
    assert.include(partly.stderr, 'record 1')
    assert.equal(JSON.parse(partly.stdout)[0].name, 'applied-last')
  })

  test('a secret is never an argument', async ({ assert }) => {
    const { code, stderr } = await machine.call(['create', 'user', 'name=x', 'password=abcdefgh'])

    assert.equal(code, 2)
    assert.include(stderr, 'password=@-')
    assert.notInclude(stderr, 'abcdefgh')
  })

  test('lists are filtered, sorted, cut, and followed over all of their pages', async ({
    assert,
  }) => {
    const names = Array.from(
      { length: 120 },
      (_, index) => `role-${String(index).padStart(3, '0')}`
    )
    await Promise.all(
      [0, 1, 2, 3].map(async (share) => {
        for (const name of names.filter((_, index) => index % 4 === share)) {
          await makeRole(hub, machine, name)
        }
      })
    )
    const filter = ['--filter', 'name=role-~', '--sort', 'name']
    const all = await machine.json<{ name: string }[]>('get', 'roles', ...filter)
    const some = await machine.json<{ name: string }[]>('get', 'roles', ...filter, '--limit', '60')
    const last = await machine.json<{ name: string }[]>(
      ...['get', 'roles', '--filter', "startsWith(name,'role-')", '--sort=-name', '--limit', '1']
    )

    assert.deepEqual(
      all.map(({ name }) => name),
      names
    )
    assert.lengthOf(some, 60)
    assert.equal(last[0]!.name, 'role-119')
  })

  test('fields and relations are the requested ones', async ({ assert }) => {
    const [user] = await machine.json(
      'get',
      'users',
      '--fields',
      'name,realmId',
      '--include',
      'realm'
    )
    const table = await machine.must('get', 'users', '--fields', 'name,active')

    assert.sameMembers(Object.keys(user), ['name', 'realmId', 'realm'])
    assert.match(table, /^NAME +ACTIVE\nadmin +yes\n/)
  })

  test('roles and permissions are described', async ({ assert }) => {
    await machine.must(
      'create',
      'permission',
      'name=reads_minutes',
      'description=reads the minutes'
    )
    await machine.must('create', 'role', 'name=clerk', 'description=keeps the minutes')
    await machine.must('role', 'grant', 'clerk', '--permission', 'reads_minutes')
    const described = await machine.must('describe', 'role', 'clerk')
    const { permissions } = await machine.json('describe', 'role', 'clerk')

    assert.match(described, /description: +keeps the minutes/)
    assert.match(described, /permissions:\n +reads_minutes: +reads the minutes/)
    assert.deepEqual(permissions, [{ name: 'reads_minutes', description: 'reads the minutes' }])
  })

  test('lists are shown as programs want them', async ({ assert }) => {
    await machine.must('create', 'project', 'name=csv-2', 'displayName=Two, and more')
    await machine.must('create', 'project', 'name=csv-10')
    const list = (...options: string[]) =>
      machine.must('get', 'projects', '--filter', 'name=csv-~', ...options)

    assert.equal(
      await list('-o', 'csv', '--columns', 'name,displayName', '--sort-by', 'name'),
      'name,displayName\ncsv-2,"Two, and more"\ncsv-10,\n'
    )
    assert.equal(await list('-o', 'jsonpath=$[?@.displayName != null].name'), 'csv-2\n')
    assert.match(await list('--no-headers', '--columns', 'name'), /^csv-\d+\ncsv-\d+\n$/)
    assert.match(await list('-o', 'wide'), /UPDATED AT/)
  })

  test('a key that a kind does not know is an error, with where to look', async ({ assert }) => {
    const { code, stderr } = await machine.call(['get', 'nodes', '--filter', 'realm_id=x'])
    const help = await machine.json('get', 'nodes', '--help-kind')

    assert.equal(code, 6)
    assert.include(stderr, 'realm_id')
    assert.include(stderr, '--help-kind')
    assert.include(help.filter, 'realmId')
    assert.include(help.create, 'publicKey')
  })

  test('what a kind has, what versions run, and any other answer are shown', async ({ assert }) => {
    const attributes = await machine.json('explain', 'node')
    const versions = await machine.json('version')
    await machine.must('api', 'core', '/projects', 'name=by-request')
    const path = '/projects?filter[name]=by-request'
    const name = await machine.must('api', 'core', path, '-o', 'jsonpath=data[0].name')

    assert.deepInclude(attributes, {
      name: 'type',
      type: 'one of default, aggregator',
      create: 'optional',
      update: 'optional',
      description: null,
    })
    assert.isTrue(versions.every(({ version }: any) => /^\d/.test(version)))
    assert.equal(name, 'by-request\n')
  })

  test('a record is waited for until it is as it should be, or cannot be any more', async ({
    assert,
  }) => {
    await machine.must('create', 'node', 'name=awaited')
    const waiting = machine.call(['wait', 'node', 'awaited', '--for', 'hidden=true'])
    await machine.must('update', 'node', 'awaited', 'hidden=true')
    const late = ['wait', 'node', 'awaited', '--for', 'hidden=false', '--timeout', '1']
    const [met, missed] = [await waiting, await machine.call(late)]
    const deleted = machine.call(['wait', 'node', 'awaited', '--for', 'deleted'])
    await machine.must('delete', 'node', 'awaited', '--yes')

    assert.equal(met.code, 0, met.stderr)
    assert.equal(missed.code, 7)
    const { code, stderr } = await deleted
    assert.equal(code, 0, stderr)
  })

  test('refusals say what to do: names in use, logs without a filter', async ({ assert }) => {
    await machine.must('create', 'node', 'name=taken')
    const taken = await machine.call(['create', 'node', 'name=taken'])
    const logs = await machine.call(['get', 'logs'])

    assert.equal(taken.code, 6)
    assert.include(taken.stderr, 'The name is taken: another record of its realm has it already.')
    assert.equal(logs.code, 6)
    assert.include(logs.stderr, 'hubctl get logs --filter')
  })

  test('an unknown kind is an error, with similar ones', async ({ assert }) => {
    const { code, stderr } = await machine.call(['get', 'nodez'])

    assert.equal(code, 2)
    assert.include(stderr, 'node')
    assert.include(stderr, 'hubctl kinds')
  })

  test('what is only tried changes nothing and shows no secret', async ({ assert }) => {
    const { code, stdout } = await machine.call(
      ['create', 'user', 'name=tried', 'password=@-', '--dry-run'],
      { stdin: 'a-secret-password' }
    )
    const { code: found } = await machine.call(['get', 'user', 'tried'])

    assert.equal(code, 0)
    assert.include(stdout, `would send POST ${hub.origin}/auth/users`)
    assert.include(stdout, '"password":"***"')
    assert.equal(found, 5)
  })

  test('names lead from one command to the next', async ({ assert }) => {
    await machine.must('create', 'node', 'name=piped')
    const name = await machine.must('get', 'nodes', '--filter', 'name=piped', '-o', 'name')
    await machine.must('delete', name.trim(), '--yes')

    assert.match(name, /^node\/[0-9a-f-]{36}\n$/)
  })

  test('a record that others use is deleted with --force, which other kinds do not know', async ({
    assert,
  }) => {
    const image = ['delete', 'master-image', '9d2f0c1e-5b1a-4c55-8f5e-0d6c2a3b4c5d']
    const forced = await machine.call([...image, '--yes', '--force'])
    assert.equal(forced.code, 5)
    await machine.must('create', 'node', 'name=not-forced')
    const other = await machine.call(['delete', 'node', 'not-forced', '--yes', '--force'])
    assert.equal(other.code, 2)
    assert.include(other.stderr, '--force has no effect on a node')
  })

  test('nothing is deleted without confirmation where no user can answer', async ({ assert }) => {
    await machine.must('create', 'node', 'name=lasting')
    const { code, stderr } = await machine.call(['delete', 'node', 'lasting'])
    const { name } = await machine.json('get', 'node', 'lasting')

    assert.equal(code, 2)
    assert.include(stderr, '--yes')
    assert.equal(name, 'lasting')
  })

  test('what others wrote does not steer the terminal', async ({ assert }) => {
    const displayName = 'red \u001B[31m\u009B31m\u202E text'
    await machine.must('create', 'project', 'name=hostile', `displayName=${displayName}`)
    const described = await machine.must('describe', 'project', 'hostile')
    const listed = await machine.must('get', 'projects', '--fields', 'displayName')

    for (const steering of ['\u001B', '\u009B', '\u202E']) {
      assert.notInclude(described + listed, steering)
    }
  })

  test('colours are for terminals', async ({ assert }) => {
    const plain = await machine.must('get', 'nodes')
    const { stdout } = await machine.call(['get', 'nodes'], { env: { FORCE_COLOR: '1' } })

    assert.notInclude(plain, '\u001B')
    assert.include(stdout, '\u001B[1m')
  })

  test('a list that is watched is shown again until it is ended', async ({ assert }) => {
    const child = machine.start(['get', 'nodes', '--watch', '0.5'])
    let shown = 0
    for await (const chunk of child.stdout) {
      shown += String(chunk).split('AGE').length - 1
      if (shown >= 2) {
        child.kill('SIGINT')
        break
      }
    }
    const code = await new Promise((resolve) => child.once('exit', resolve))

    assert.equal(code, 130)
  })

  test('the services of a platform are shown, and whether all of them answer', async ({
    assert,
  }) => {
    const { services } = await machine.json('status')
    const { code, stdout } = await machine.call(['status', '--url', 'http://127.0.0.1:9'])

    assert.lengthOf(services, 5)
    assert.isTrue(services.every(({ answers }: { answers: boolean }) => answers))
    assert.equal(code, 7)
    assert.match(stdout, /^AWAY +core/)
  })
})

/** A process for each of many records would take longer than all else. */
async function makeRole(hub: HubProcesses, machine: Machine, name: string): Promise<void> {
  const response = await fetch(`${hub.origin}/auth/roles`, {
    method: 'POST',
    headers: await machine.headers(),
    body: JSON.stringify({ name }),
  })
  if (!response.ok) {
    throw new Error(await response.text())
  }
}
