import { X509Certificate } from 'node:crypto'
import { execFile } from 'node:child_process'
import { glob, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'

import { test } from '@japa/runner'
import { parse } from 'yaml'

import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)
const MAKE_SECRETS = fileURLToPath(
  new URL('../../../deploy/machines/make-secrets', import.meta.url)
)
const HEXADECIMAL = /^[0-9a-f]{64}$/
const PLACE = /THIS_HOST|change-me/

const make = (folder: string) => run('/bin/sh', [MAKE_SECRETS, folder])

test.group('The example for three servers', (group) => {
  let folder: string

  group.setup(async () => {
    const made = await temporaryFolder((step) => group.teardown(step))
    folder = made
    await make(folder)
  })

  const text = (path: string) => readFile(join(folder, path), 'utf8')
  const yaml = async (path: string) => parse(await text(path))
  const password = (purpose: string) => text(join('passwords', purpose))
  const files = () => Array.fromAsync(glob('**/*.*', { cwd: folder }))

  /** The settings of a file of Redis, by their first words. */
  const lines = async (path: string) =>
    (await text(path)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))

  test('the example leaves no place open, and everything to root alone', async ({ assert }) => {
    for (const path of await Array.fromAsync(glob('**/*', { cwd: folder }))) {
      const { mode } = await stat(join(folder, path))
      assert.equal(mode & 0o077, 0, path)
    }
    for (const path of await files()) {
      assert.notMatch(await text(path), PLACE, path)
    }
  })

  test('the example has a password of its own for each purpose', async ({ assert }) => {
    const paths = await Array.fromAsync(glob('passwords/*', { cwd: folder }))
    const passwords = await Promise.all(paths.map(text))
    passwords.forEach((each) => assert.match(each, HEXADECIMAL))
    assert.equal(new Set(passwords).size, passwords.length)
    assert.isAtLeast(passwords.length, 11)
  })

  test('the example keeps what exists', async ({ assert }) => {
    const before = await Promise.all((await files()).map(text))
    await make(folder)
    assert.deepEqual(await Promise.all((await files()).map(text)), before)
    await rm(join(folder, 'db1/patroni.yml'))
    await make(folder)
    assert.include(await text('db1/patroni.yml'), await password('patroni'))
  })

  test('the example gives each server a certificate for its name, of an authority that the others trust', async ({
    assert,
  }) => {
    const [servers, peers] = await Promise.all(
      ['servers.crt', 'peers.crt'].map(async (path) => new X509Certificate(await text(path)))
    )
    for (const host of ['etcd1', 'etcd2', 'etcd3', 'db1', 'db2', 'db3']) {
      const certificate = new X509Certificate(await text(`${host}/server.crt`))
      assert.isTrue(certificate.verify(servers!.publicKey), host)
      assert.isFalse(certificate.verify(peers!.publicKey), host)
      assert.equal(certificate.checkHost(host), host)
      assert.isFalse(certificate.ca)
      // etcd takes a common name for that of an account.
      assert.notInclude(certificate.subject, 'CN=')
    }
    assert.isTrue(new X509Certificate(await text('etcd1/peer.crt')).verify(peers!.publicKey))
    assert.notInclude(await files(), 'db1/peers.crt')
    const keys = (await files()).filter((path) => path.endsWith('.key'))
    assert.lengthOf(new Set(await Promise.all(keys.map(text))), keys.length)
  })

  test('the example lets etcd ask clients and peers for certificates, and clients for a password', async ({
    assert,
  }) => {
    const settings = await yaml('etcd1/etcd.yml')
    const urls = Object.entries<string>(settings).filter(([name]) => name.endsWith('-urls'))
    assert.lengthOf(urls, 4)
    urls.forEach(([name, url]) => assert.match(url, /^https:/, name))
    assert.isTrue(settings['client-transport-security']['client-cert-auth'])
    assert.isTrue(settings['peer-transport-security']['client-cert-auth'])
    assert.include(settings['peer-transport-security']['trusted-ca-file'], 'peers.crt')
    const accounts = await text('etcd1/etcd-accounts')
    assert.include(accounts, 'etcdctl auth enable')
    assert.include(accounts, await password('etcd-patroni'))
  })

  test('the example lets Patroni ask for a certificate and a password before it changes anything', async ({
    assert,
  }) => {
    const { restapi, ctl, etcd3, postgresql } = await yaml('db1/patroni.yml')
    assert.oneOf(restapi.verify_client, ['optional', 'required'])
    assert.equal(restapi.cafile, ctl.cacert)
    assert.equal(restapi.authentication.password, await password('patroni'))
    assert.equal(etcd3.protocol, 'https')
    assert.equal(etcd3.password, await password('etcd-patroni'))
    assert.isString(etcd3.cert)
    for (const [purpose, account] of [
      ['postgres', 'superuser'],
      ['replicator', 'replication'],
      ['rewind', 'rewind'],
    ] as const) {
      assert.equal(postgresql.authentication[account].password, await password(purpose))
    }
    const admitted: string[] = postgresql.pg_hba
    assert.isEmpty(admitted.filter((line) => !/ (scram-sha-256|peer)$/.test(line)))
  })

  test('the example lets Redis and Sentinel ask for passwords, which replicas and sentinels know', async ({
    assert,
  }) => {
    const redis = await password('redis')
    const sentinel = await password('sentinel')
    assert.includeMembers(await lines('cache2/redis.conf'), [
      `requirepass ${redis}`,
      `masterauth ${redis}`,
      'replicaof cache1 6379',
    ])
    assert.notInclude(await lines('cache1/redis.conf'), 'replicaof cache1 6379')
    const settings = await lines('cache1/sentinel.conf')
    assert.includeMembers(settings, [
      `requirepass ${sentinel}`,
      `sentinel sentinel-pass ${sentinel}`,
      `sentinel auth-pass hub ${redis}`,
    ])
    assert.notInclude(settings, 'protected-mode no')
  })

  test('the example lets the hub and its workers show a password to every server, each its own', async ({
    assert,
  }) => {
    const hub = parseEnv(await text('hub1/hub.env'))
    const worker = parseEnv(await text('worker1/worker.env'))
    assert.equal(
      new URL(hub.AMQP_URL!.replace(/,[^/]+/, '')).password,
      await password('hub-broker')
    )
    assert.include(hub.DATABASE_URL, `:${await password('hub-database')}@`)
    assert.include(hub.REDIS_URL, `:${await password('redis')}@`)
    assert.include(hub.REDIS_URL, `sentinel_password=${await password('sentinel')}`)
    assert.include(worker.AMQP_URL, `worker:${await password('worker-broker')}@`)
    assert.isEmpty(Object.keys(worker).filter((name) => /DATABASE|REDIS|S3|APP_KEY/.test(name)))
    assert.match(await text('mq1/erlang.cookie'), HEXADECIMAL)
    assert.include(await text('mq1/rabbitmq-accounts'), 'delete_user guest')
  })
})
