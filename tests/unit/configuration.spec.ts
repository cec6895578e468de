import { readFile, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import type { Reader, Source } from '#configuration/catalogue'
import { flatten, namesOf } from '#configuration/catalogue'
import { renderExample, renderGuide } from '#configuration/documentation'
import { embeddedDrivers } from '#configuration/embedded_drivers'
import { listOf, origins, proxies } from '#configuration/list_readers'
import {
  BrokenSecretFileError,
  initialSecret,
  ownersWithoutStoredSecret,
} from '#configuration/initial_secrets'
import { editDistance } from '#configuration/misspellings'
import { JOBS, requiredConcerns, SERVED } from '#configuration/processes'
import { readConfiguration } from '#configuration/read_configuration'
import { bytes, flag, host, integer, oneOf, share, text } from '#configuration/readers'
import { ConfigurationError, InvalidValueError } from '#configuration/configuration_error'
import {
  baseUrl,
  connectionUrl,
  databaseServers,
  harborAccess,
  redisServers,
  serversUrl,
} from '#configuration/url_readers'
import { urlsByHost } from '#configuration/urls_by_host'
import { catalogue } from '#configuration/hub_catalogue'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://hub.example.org',
  APP_KEY: 'k'.repeat(32),
  CLIENT_SECRET: 'a-secret-of-our-own',
  DATABASE_URL: 'postgres://hub:pw-of-our-own@db/hub',
  AMQP_URL: 'amqp://hub:pw-of-our-own@bus',
  REDIS_URL: 'redis://cache',
  S3_ENDPOINT: 'https://s3.example.org',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'a-key-of-our-own',
  LOGSTORE_URL: 'http://logs:9428',
  IDENTITY_URL: 'https://id.example.org',
}

function read(source: Source) {
  return readConfiguration(catalogue, source).values
}

function warningsOf(source: Source) {
  return readConfiguration(catalogue, source).warnings
}

function failure(source: Source): ConfigurationError {
  try {
    readConfiguration(catalogue, source)
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error
    }
    throw error
  }
  throw new Error('The configuration was accepted')
}

function wrongNames(source: Source): string[] {
  return failure(source).mistakes.map(({ name }) => name)
}

function without(source: Source, ...names: string[]): Source {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !names.includes(name)))
}

function accepts(reader: Reader<unknown>, value: string): boolean {
  try {
    reader.read(value)
    return true
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return false
    }
    throw error
  }
}

test.group('Configuration readers', () => {
  test('an integer is a whole number inside its range', ({ assert }) => {
    const reader = integer(0, 65535)
    assert.equal(reader.read('3000'), 3000)
    assert.equal(reader.read(' 0 '), 0)
    for (const wrong of ['65536', '-1', '1.5', '1e3', '0x10', 'abc', '1 2', '']) {
      assert.isFalse(accepts(reader, wrong), wrong)
    }
  })

  test('a share is a decimal from 0 to 1', ({ assert }) => {
    for (const [written, value] of [
      ['0', 0],
      ['1', 1],
      ['0.01', 0.01],
      ['.5', 0.5],
      [' 1.0 ', 1],
    ] as const) {
      assert.equal(share().read(written), value)
    }
    for (const wrong of ['1.1', '-0.1', '2', '1e-2', '50%', 'all', '']) {
      assert.isFalse(accepts(share(), wrong), wrong)
    }
  })

  test('a flag is yes or no, in the usual spellings', ({ assert }) => {
    for (const yes of ['true', 'TRUE', '1', 'yes', 'on']) {
      assert.isTrue(flag().read(yes))
    }
    for (const no of ['false', 'False', '0', 'no', 'off']) {
      assert.isFalse(flag().read(no))
    }
    for (const wrong of ['ja', '2', 'truee']) {
      assert.isFalse(accepts(flag(), wrong), wrong)
    }
  })

  test('text is accepted exactly as it is, and can have a minimum length and a shape', ({
    assert,
  }) => {
    assert.equal(text().read(' a b '), ' a b ')
    assert.isFalse(accepts(text({ min: 4 }), 'abc'))
    assert.isFalse(accepts(text({ shape: /^\d+$/ }), 'abc'))
  })

  test('a host is a name or an address, not a URL', ({ assert }) => {
    for (const right of ['127.0.0.1', '::1', 'hub.example.org']) {
      assert.equal(host().read(right), right)
    }
    for (const wrong of ['http://hub', 'a b', 'hub/x']) {
      assert.isFalse(accepts(host(), wrong))
    }
  })

  test('one of a set is found whatever its case', ({ assert }) => {
    assert.equal(oneOf('info', 'warn').read('WARN'), 'warn')
    assert.isFalse(accepts(oneOf('info', 'warn'), 'warning'))
  })

  test('a size is a number of bytes with or without a unit', ({ assert }) => {
    assert.deepEqual(
      ['512', '1kB', '1KiB', '1.5 MiB', '10GB', '2gib'].map((size) => bytes().read(size)),
      [512, 1000, 1024, 1_572_864, 10_000_000_000, 2_147_483_648]
    )
    for (const wrong of ['-1', '1M', 'MiB', '1 mb x', '99999999TiB']) {
      assert.isFalse(accepts(bytes(), wrong), wrong)
    }
    assert.isFalse(accepts(bytes(1024), '1000'))
  })

  test('a list of a closed set keeps the order of the set and returns no word twice', ({
    assert,
  }) => {
    const reader = listOf(['a', 'b', 'c'], { second: 'b' })
    assert.deepEqual(reader.read('c, second,b,,'), ['b', 'c'])
    assert.deepEqual(reader.read('none'), [])
    for (const wrong of ['a,d', ',', 'none,a', 'constructor']) {
      assert.isFalse(accepts(reader, wrong), wrong)
    }
  })

  test('origins are reduced to what browsers send', ({ assert }) => {
    assert.deepEqual(
      origins().read('https://a.example/, http://LOCALHOST:80,https://b.example:8443'),
      ['https://a.example', 'http://localhost', 'https://b.example:8443']
    )
    assert.deepEqual(origins().read('none'), [])
    for (const wrong of [
      '*',
      'https://a.example/x',
      'a.example',
      'https://u:p@a.example',
      'null',
    ]) {
      assert.isFalse(accepts(origins(), wrong), wrong)
    }
  })

  test('proxies are addresses, blocks or named ranges', ({ assert }) => {
    assert.deepEqual(proxies().read('loopback, 10.0.0.0/8,fd00::/8,192.0.2.1'), [
      'loopback',
      '10.0.0.0/8',
      'fd00::/8',
      '192.0.2.1',
    ])
    assert.deepEqual(proxies().read('none'), [])
    for (const wrong of [
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0/8',
      'fd00::/129',
      '10.0.0.0/8/8',
      'x',
    ]) {
      assert.isFalse(accepts(proxies(), wrong), wrong)
    }
  })

  test('a connection string needs one of its protocols and a host', ({ assert }) => {
    const reader = connectionUrl('postgres', 'postgresql')
    const right = 'postgresql://u:p%40w@db:5432/hub?sslmode=require'
    assert.equal(reader.read(right), right)
    assert.isTrue(accepts(reader, 'postgres:///hub?host=/var/run/postgresql'))
    for (const wrong of [
      'mysql://db/hub',
      'db/hub',
      'postgres:db',
      'postgres:///hub',
      'postgres://u:p#w@db/x',
    ]) {
      assert.isFalse(accepts(reader, wrong), wrong)
    }
  })

  test('an address with several hosts stands for one URL per host', ({ assert }) => {
    assert.deepEqual(urlsByHost('postgres://u:p,w@a:1,[::1]:2, c/hub?x=a@b,c#d'), [
      'postgres://u:p,w@a:1/hub?x=a@b,c#d',
      'postgres://u:p,w@[::1]:2/hub?x=a@b,c#d',
      'postgres://u:p,w@c/hub?x=a@b,c#d',
    ])
    assert.deepEqual(urlsByHost(' amqp://a '), ['amqp://a'])
    assert.deepEqual(urlsByHost('no address'), ['no address'])
  })

  test('{reader} accepts {right.length} addresses and rejects {wrong.length}')
    .with([
      {
        reader: 'amqp',
        right: ['amqp://u:p@a:5672,b:5673/%2F?heartbeat=9', 'amqps://a'],
        wrong: ['amqp://a,,b', 'amqp://u:p@a,:5672', 'amqp://a:1,b:x', 'amqp:///v'],
      },
      {
        reader: 'postgres',
        right: [
          'postgres://u:p@a:5432,b:5432,c:5432/hub?target_session_attrs=read-write',
          'postgresql://u:p@a,b/hub?sslmode=require',
          'postgres://u:p@a/hub?target_session_attrs=any',
        ],
        wrong: [
          'postgres://a,b/hub?target_session_attrs=any',
          'postgres://a,/hub',
          'mysql://a,b/x',
        ],
      },
      {
        reader: 'redis',
        right: [
          'redis://:p@a:6379/1',
          'rediss://a',
          'redis+sentinel://u:p@a:26379,b/hub?db=2&sentinel_password=s',
          'rediss+sentinel://a/hub',
        ],
        wrong: [
          'redis://a,b',
          'redis+sentinel://a,b',
          'redis+sentinel://a,b/',
          'redis+sentinel://a/hub/1',
          'redis+sentinel://a/hub?db=x',
          'redis+sentinel://a/hub?password=x',
          'sentinel://a/hub',
        ],
      },
    ])
    .run(({ assert }, { reader, right, wrong }) => {
      const readers: Record<string, ReturnType<typeof redisServers>> = {
        amqp: serversUrl('amqp', 'amqps'),
        postgres: databaseServers(),
        redis: redisServers(),
      }
      for (const address of right) {
        assert.equal(readers[reader]!.read(` ${address} `), address)
      }
      for (const address of wrong) {
        assert.isFalse(accepts(readers[reader]!, address), address)
      }
    })

  test('an error about several hosts says what to do, and quotes no password', ({ assert }) => {
    const { message } = failure({
      DATABASE_URL: 'postgres://u:hidden@a,b/hub?target_session_attrs=standby',
      REDIS_URL: 'redis+sentinel://:hidden@a,b',
      AMQP_URL: 'amqp://u:hidden@a,,b',
    })
    assert.include(
      message,
      'DATABASE_URL: names several hosts, and sessions that do not write; set'
    )
    assert.include(message, 'REDIS_URL: names no server; end it with the name')
    assert.include(message, 'AMQP_URL: has an empty host between commas')
    assert.notInclude(message, 'hidden')
  })

  test('a base address loses its trailing slash and carries nothing but a path', ({ assert }) => {
    assert.equal(baseUrl().read('https://hub.example.org/auth/'), 'https://hub.example.org/auth')
    for (const wrong of [
      'ftp://x',
      'hub.example.org',
      'http://u:p@x',
      'http://x/?q',
      'http://x/#f',
      'http://',
    ]) {
      assert.isFalse(accepts(baseUrl(), wrong), wrong)
    }
  })

  test('a Harbor address may have a password with colons and at signs', ({ assert }) => {
    assert.deepEqual(harborAccess().read('robot$hub:p:a@ss@harbor.example.org:8443'), {
      host: 'harbor.example.org:8443',
      accountName: 'robot$hub',
      accountSecret: 'p:a@ss',
    })
    assert.equal(harborAccess().read('https://u:p@harbor.example.org/').host, 'harbor.example.org')
    for (const wrong of [
      'harbor.example.org',
      'http://u:p@harbor',
      'u@harbor',
      ':p@harbor',
      'u:@harbor',
      'u:p@',
    ]) {
      assert.isFalse(accepts(harborAccess(), wrong), wrong)
    }
  })
})

test.group('Configuration defaults', () => {
  test('an empty environment is a complete development installation', ({ assert }) => {
    const env = read({})
    assert.containSubset(env, {
      NODE_ENV: 'development',
      SURFACES: [...SERVED],
      JOBS: [...JOBS],
      HOST: '127.0.0.1',
      PORT: 3000,
      ADMIN_PORT: 3009,
      PUBLIC_URL: 'http://localhost:3000',
      POOL_WEB: availableParallelism(),
      POOL_JOBS: 1,
      LOG_LEVEL: 'info',
      DATA_DIR: '.data',
      DB_POOL: 10,
      STORAGE_PATH: '.data/objects',
      S3_FORCE_PATH_STYLE: true,
      IDENTITY_EMBEDDED: true,
      CLIENT_ID: 'system',
      REALM: 'master',
      COOKIE_PREFIX: '',
      EVENT_RETENTION_DAYS: 7,
      MESSAGE_MAX_RECIPIENTS: 1000,
      MESSAGE_MAX_BYTES: 1_048_576,
      LEGACY_SOCKET_RELAY: true,
      RATE_LIMIT_USER: 6000,
      RATE_LIMIT_CLIENT: 60000,
      RATE_LIMIT_ANONYMOUS: 1200,
      TRUSTED_PROXIES: ['loopback'],
      CORS_ORIGINS: [],
      DOCS_ENABLED: true,
      SKIP_PROJECT_APPROVAL: false,
      SKIP_ANALYSIS_APPROVAL: false,
      STORAGE_STRICT_REALM: true,
      MASTER_IMAGES_OWNER: 'PrivateAim',
      MASTER_IMAGES_REPOSITORY: 'master-images',
      MASTER_IMAGES_BRANCH: 'master',
    })
    for (const name of [
      'DATABASE_URL',
      'AMQP_URL',
      'REDIS_URL',
      'S3_ENDPOINT',
      'LOGSTORE_URL',
    ] as const) {
      assert.isUndefined(env[name], name)
    }
    assert.deepEqual(warningsOf({}), [])
  })

  test('an empty text counts as unset', ({ assert }) => {
    assert.deepEqual(read({ PORT: '', SURFACES: ' ', DATABASE_URL: '', CLIENT_ID: '' }), read({}))
  })

  test('ports, addresses and folders follow from each other', ({ assert }) => {
    const env = read({ PORT: '4000', DATA_DIR: '/srv/hub' })
    assert.equal(env.ADMIN_PORT, 4009)
    assert.equal(env.PUBLIC_URL, 'http://localhost:4000')
    assert.equal(env.STORAGE_PATH, '/srv/hub/objects')
    assert.equal(read({ PORT: '0' }).ADMIN_PORT, 0)
    assert.deepEqual(wrongNames({ PORT: '65530' }), ['ADMIN_PORT'])
  })

  test('the identity surface is part of all only without another provider', ({ assert }) => {
    const others = ['core', 'storage', 'telemetry', 'messenger', 'console']
    assert.deepEqual(read({ SURFACES: 'all' }).SURFACES, SERVED)
    assert.deepEqual(read({ SURFACES: 'All', IDENTITY_URL: 'http://id' }).SURFACES, others)
    assert.deepEqual(read({ IDENTITY_URL: 'http://id' }).SURFACES, others)
    assert.isFalse(read({ IDENTITY_URL: 'http://id' }).IDENTITY_EMBEDDED)
    assert.deepEqual(read({ SURFACES: 'auth' }).SURFACES, ['identity'])
    assert.deepEqual(read({ SURFACES: 'none', JOBS: 'sweeps' }).SURFACES, [])
  })

  test('the words for embedded drivers mean the same as nothing', ({ assert }) => {
    const words = {
      DATABASE_URL: 'embedded',
      AMQP_URL: 'memory',
      REDIS_URL: 'Memory',
      LOGSTORE_URL: 'memory',
      IDENTITY_EMBEDDED: 'true',
      SURFACES: 'all',
      JOBS: 'all',
    }
    assert.deepEqual(read(words), read({}))
  })

  test('values cannot be changed', ({ assert }) => {
    const env = read({ HARBOR_URL: 'u:p@harbor' })
    assert.isFrozen(env)
    assert.isFrozen(env.SURFACES)
    assert.isFrozen(env.HARBOR_URL)
  })

  test('the source is left alone', ({ assert }) => {
    const source = Object.freeze({ PORT: '4000', AUTHUP_URL: 'http://id' })
    read(source)
    assert.deepEqual(source, { PORT: '4000', AUTHUP_URL: 'http://id' })
  })
})

test.group('Configuration mistakes', () => {
  test('all of them are in one error, one line each, with what is allowed', ({ assert }) => {
    const error = failure({
      PORT: 'http',
      LOG_LEVEL: 'loud',
      DB_POOL: '1',
      CORS_ORIGINS: 'https://a,b',
    })
    assert.equal(error.code, 'E_CONFIGURATION')
    assert.deepEqual(error.message.split('\n').slice(0, -1), [
      'The configuration has 4 mistakes:',
      '- PORT: "http" is not a whole number; allowed: an integer from 0 to 65535',
      '- LOG_LEVEL: "loud" is not one of the known words; allowed: one of fatal, error, warn, info, debug, trace, silent',
      '- DB_POOL: "1" is out of range; allowed: an integer from 2 to 1000: a sweep needs two at once',
      '- CORS_ORIGINS: contains an invalid entry (number 2); allowed: a comma list of origins such as https://hub.example.org, or none',
    ])
  })

  test('no variable that can hold a secret shows it', ({ assert }) => {
    const marker = 'sEcReT'
    const wrong = Object.fromEntries(
      Object.entries(flatten(catalogue.groups))
        .filter(
          ([, variable]) => variable.secret || /URL|ORIGINS|PROXIES/.test(variable.reader.type)
        )
        .map(([name]) => [name, `ftp://${marker}:${marker}@[`])
    )
    const error = failure({ ...wrong, NODE_ENV: 'production', APP_KEY: marker, HARBOR_URL: marker })
    assert.includeMembers(
      error.mistakes.map(({ name }) => name),
      [
        'APP_KEY',
        'DATABASE_URL',
        'AMQP_URL',
        'REDIS_URL',
        'HARBOR_URL',
        'IDENTITY_URL',
        'LOGSTORE_URL',
      ]
    )
    assert.notInclude(`${error.message}${error.stack}${JSON.stringify(error)}`, marker)
  })

  test('a secret behind an older name is not shown either', ({ assert }) => {
    const marker = 'sEcReT'
    const sources = [
      { MINIO_CONNECTION_STRING: `minio:${marker}@host` },
      { MINIO_CONNECTION_STRING: `http://key:${marker}%@host` },
      { RABBITMQ_CONNECTION_STRING: `http://u:${marker}@host` },
      { AUTHUP_URL: `http://u:${marker}@host` },
      { DB_TYPE: 'mysql', DB_PASSWORD: marker },
    ]
    for (const source of sources) {
      assert.notInclude(failure(source).message, marker)
    }
  })

  test('a long or odd value is shown shortened and on one line', ({ assert }) => {
    const line = failure({ PORT: `1\n${'2'.repeat(500)}` }).message.split('\n')[1]
    assert.match(line ?? '', /^- PORT: "1\\n2+…" is not a whole number/)
    assert.isBelow(line?.length ?? 0, 150)
  })

  test('the S3 address and its keys belong together', ({ assert }) => {
    const endpoint = { S3_ENDPOINT: 'http://s3' }
    assert.deepEqual(wrongNames(endpoint), ['S3_ACCESS_KEY', 'S3_SECRET_KEY'])
    assert.deepEqual(wrongNames({ ...endpoint, S3_ACCESS_KEY: 'a' }), ['S3_SECRET_KEY'])
    assert.deepEqual(wrongNames({ S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }), ['S3_ENDPOINT'])
    assert.include(wrongNames({ S3_BUCKET: 'files' }), 'S3_ENDPOINT')
    assert.equal(
      read({ ...endpoint, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }).S3_ENDPOINT,
      'http://s3'
    )
  })

  test('the log store needs a place to write and a place to read', ({ assert }) => {
    const ingestor = { LOGSTORE_INGESTOR_URL: 'http://in' }
    assert.deepEqual(wrongNames(ingestor), ['LOGSTORE_URL'])
    assert.deepEqual(wrongNames({ ...ingestor, LOGSTORE_URL: 'memory' }), ['LOGSTORE_URL'])
    assert.isUndefined(read({ ...ingestor, LOGSTORE_QUERIER_URL: 'http://out' }).LOGSTORE_URL)
    assert.equal(read({ ...ingestor, LOGSTORE_URL: 'http://logs' }).LOGSTORE_URL, 'http://logs')
  })

  test('both ports cannot be the same unless the system chooses them', ({ assert }) => {
    assert.deepEqual(wrongNames({ PORT: '4000', ADMIN_PORT: '4000' }), ['ADMIN_PORT'])
    assert.equal(read({ PORT: '0', ADMIN_PORT: '0' }).ADMIN_PORT, 0)
  })

  test('there is exactly one identity provider', ({ assert }) => {
    const elsewhere = { IDENTITY_URL: 'http://id' }
    assert.deepEqual(wrongNames({ ...elsewhere, IDENTITY_EMBEDDED: 'true' }), ['IDENTITY_EMBEDDED'])
    assert.deepEqual(wrongNames({ ...elsewhere, SURFACES: 'core,identity' }), ['SURFACES'])
    assert.deepEqual(wrongNames({ IDENTITY_EMBEDDED: 'false' }), ['IDENTITY_EMBEDDED'])
    assert.equal(read({ ...elsewhere, IDENTITY_EMBEDDED: 'false' }).IDENTITY_URL, 'http://id')
  })

  test('storage that looks closer at clients knows whom to ask', ({ assert }) => {
    const alone = { SURFACES: 'storage', STORAGE_STRICT_REALM: 'true' }
    assert.deepEqual(wrongNames(alone), ['CORE_URL'])
    assert.isTrue(read({ ...alone, CORE_URL: 'http://core' }).STORAGE_STRICT_REALM)
    assert.isTrue(read({ ...alone, SURFACES: 'core,storage' }).STORAGE_STRICT_REALM)
    assert.isFalse(read({ ...alone, STORAGE_STRICT_REALM: 'false' }).STORAGE_STRICT_REALM)
  })

  test('storage inspects clients more closely unless that is disabled, and says what that means', ({
    assert,
  }) => {
    assert.isTrue(read({}).STORAGE_STRICT_REALM)
    const [open] = warningsOf({ STORAGE_STRICT_REALM: 'false' })
    assert.match(open!, /^STORAGE_STRICT_REALM is off: /)
    assert.deepEqual(warningsOf({ SURFACES: 'core', STORAGE_URL: 'http://storage' }), [])
    assert.isTrue(read({ SURFACES: 'storage' }).STORAGE_STRICT_REALM)
    assert.match(warningsOf({ SURFACES: 'storage' })[0]!, /^CORE_URL is unset: /)
    assert.match(warningsOf({ SURFACES: 'core' })[0]!, /^STORAGE_URL is unset: /)
    assert.deepEqual(warningsOf({ SURFACES: 'storage', CORE_URL: 'http://core' }), [])
  })

  test('a mailbox holds at least one message', ({ assert }) => {
    assert.deepEqual(wrongNames({ MAILBOX_MAX_BYTES: '1kB' }), ['MAILBOX_MAX_BYTES'])
    assert.equal(read({ MAILBOX_MAX_BYTES: '0' }).MAILBOX_MAX_BYTES, 0)
  })

  test('a session outlives an access token', ({ assert }) => {
    const equal = { ACCESS_TOKEN_SECONDS: '3600', REFRESH_TOKEN_SECONDS: '3600' }
    assert.deepEqual(wrongNames(equal), ['REFRESH_TOKEN_SECONDS'])
    assert.deepEqual(wrongNames({ ACCESS_TOKEN_SECONDS: '59' }), ['ACCESS_TOKEN_SECONDS'])
    assert.equal(read({}).ACCESS_TOKEN_SECONDS, 900)
    assert.equal(read({}).REFRESH_TOKEN_SECONDS, 259_200)
  })

  test('one wrong variable does not make others look wrong', ({ assert }) => {
    assert.deepEqual(wrongNames({ ...PRODUCTION, IDENTITY_URL: 'nonsense' }), ['IDENTITY_URL'])
    assert.deepEqual(wrongNames({ ...PRODUCTION, S3_ENDPOINT: 'nonsense' }), ['S3_ENDPOINT'])
    assert.deepEqual(wrongNames({ ...PRODUCTION, DATABASE_URL: 'nonsense' }), ['DATABASE_URL'])
    const older = without(PRODUCTION, 'S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY')
    assert.deepEqual(wrongNames({ ...older, MINIO_CONNECTION_STRING: 'nonsense' }), [
      'MINIO_CONNECTION_STRING',
    ])
    const parts = { ...without(PRODUCTION, 'DATABASE_URL'), DB_TYPE: 'mysql' }
    assert.deepEqual(wrongNames(parts), ['DB_TYPE'])
  })
})

test.group('Configuration warnings', () => {
  test('a name that looks like one of ours is pointed out', ({ assert }) => {
    assert.deepEqual(warningsOf({ STORAGE_PAHT: 'x' }), [
      'STORAGE_PAHT is not a variable of this application and is ignored; did you mean STORAGE_PATH?',
    ])
    assert.include(warningsOf({ DATABSE_URLL: 'x' })[0], 'DATABASE_URL')
    assert.include(warningsOf({ AUTHUP_URI: 'x' })[0], 'AUTHUP_URL')
    assert.include(failure({ CLIENT_SECRTE: 'x', PORT: 'x' }).message, 'CLIENT_SECRTE is not')
  })

  test('ordinary names of other programs are left in peace', ({ assert }) => {
    const others = [
      'PATH',
      'HOME',
      'APP_URL',
      'API_URL',
      'HOSTNAME',
      'TERM',
      'TZ',
      'DEBUG',
      'CI',
      'USER',
    ]
    const set = Object.fromEntries([...others, 'npm_config_port'].map((name) => [name, 'x']))
    assert.deepEqual(warningsOf(set), [])
    assert.deepEqual(warningsOf({ API_KEY: 'x', APP_KEY: 'k'.repeat(32) }), [])
  })

  test('the distance counts a swap of neighbours as one step', ({ assert }) => {
    assert.equal(editDistance('STORAGE_PAHT', 'STORAGE_PATH'), 1)
    assert.equal(editDistance('', 'PORT'), 4)
    assert.equal(editDistance('kitten', 'sitting'), 3)
  })

  test('a skipped approval is reported at each start', ({ assert }) => {
    const warnings = warningsOf({ SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: '1' })
    assert.lengthOf(warnings, 2)
    assert.match(warnings[0] ?? '', /^SKIP_PROJECT_APPROVAL is on/)
    assert.match(warnings[1] ?? '', /^SKIP_ANALYSIS_APPROVAL is on/)
  })

  test('production without a public address is warned of', ({ assert }) => {
    assert.deepEqual(warningsOf(PRODUCTION), [])
    assert.match(warningsOf(without(PRODUCTION, 'PUBLIC_URL'))[0] ?? '', /^PUBLIC_URL is unset/)
  })
})

test.group('Configuration older names', () => {
  test('every older name still works', ({ assert }) => {
    const env = read({
      AUTHUP_URL: 'http://127.0.0.1:3010/',
      RABBITMQ_CONNECTION_STRING: 'amqp://bus',
      REDIS_CONNECTION_STRING: 'redis://cache',
      MINIO_CONNECTION_STRING: 'http://key:s%40cret@minio:9000',
      VICTORIA_LOGS_URL: 'http://logs',
      VICTORIA_LOGS_INGESTOR_URL: 'http://in',
      VICTORIA_LOGS_QUERIER_URL: 'http://out',
    })
    assert.containSubset(env, {
      IDENTITY_URL: 'http://127.0.0.1:3010',
      AMQP_URL: 'amqp://bus',
      REDIS_URL: 'redis://cache',
      S3_ENDPOINT: 'http://minio:9000',
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 's@cret',
      LOGSTORE_URL: 'http://logs',
      LOGSTORE_INGESTOR_URL: 'http://in',
      LOGSTORE_QUERIER_URL: 'http://out',
    })
  })

  test('true stands for a server on this machine', ({ assert }) => {
    const env = read({ RABBITMQ_CONNECTION_STRING: 'true', REDIS_CONNECTION_STRING: 'TRUE' })
    assert.equal(env.AMQP_URL, 'amqp://root:start123@127.0.0.1')
    assert.equal(env.REDIS_URL, 'redis://127.0.0.1')
  })

  test('the new name beats the older one', ({ assert }) => {
    assert.equal(
      read({ AUTHUP_URL: 'http://old', IDENTITY_URL: 'http://new' }).IDENTITY_URL,
      'http://new'
    )
    assert.equal(
      read({ DB_TYPE: 'mysql', DATABASE_URL: 'postgres://db/x' }).DATABASE_URL,
      'postgres://db/x'
    )
    assert.isUndefined(read({ REDIS_CONNECTION_STRING: 'true', REDIS_URL: 'memory' }).REDIS_URL)
    assert.equal(read({ AUTHUP_URL: 'http://old', IDENTITY_URL: '' }).IDENTITY_URL, 'http://old')
  })

  test('keys from an older connection string never go to a newly named server', ({ assert }) => {
    const source = { MINIO_CONNECTION_STRING: 'http://key:secret@minio', S3_ENDPOINT: 'http://s3' }
    assert.deepEqual(wrongNames(source), ['S3_ACCESS_KEY', 'S3_SECRET_KEY'])
  })

  test('a mistake is reported under the name that was used, and once', ({ assert }) => {
    assert.deepEqual(wrongNames({ AUTHUP_URL: 'x' }), ['AUTHUP_URL'])
    assert.deepEqual(wrongNames({ MINIO_CONNECTION_STRING: 'x' }), ['MINIO_CONNECTION_STRING'])
  })

  test('a database named part by part becomes one address', ({ assert }) => {
    const parts = {
      DB_TYPE: 'postgres',
      DB_USERNAME: 'h@b',
      DB_PASSWORD: 'p:/w',
      DB_DATABASE: 'hub',
    }
    assert.equal(read(parts).DATABASE_URL, 'postgres://h%40b:p%3A%2Fw@127.0.0.1:5432/hub')
    assert.equal(
      read({ ...without(parts, 'DB_PASSWORD'), DB_HOST: '::1', DB_PORT: '5433' }).DATABASE_URL,
      'postgres://h%40b@[::1]:5433/hub'
    )
  })

  test('another kind of database, or half a name, is a clear mistake', ({ assert }) => {
    const parts = { DB_TYPE: 'postgres', DB_USERNAME: 'hub', DB_DATABASE: 'hub' }
    assert.match(
      failure({ ...parts, DB_TYPE: 'mysql' }).message,
      /DB_TYPE: is not postgres.*DATABASE_URL/
    )
    assert.deepEqual(wrongNames(without(parts, 'DB_TYPE')), ['DB_TYPE'])
    assert.deepEqual(wrongNames(without(parts, 'DB_DATABASE')), ['DB_DATABASE'])
    assert.deepEqual(wrongNames({ ...parts, DB_PORT: 'x' }), ['DB_PORT'])
    assert.deepEqual(wrongNames({ ...parts, DB_HOST: 'a/b' }), ['DB_HOST'])
  })
})

test.group('Configuration of secrets in files', () => {
  async function fileWith(cleanup: Parameters<typeof temporaryFolder>[0], content: string) {
    const path = join(await temporaryFolder(cleanup), 'secret')
    await writeFile(path, content, { mode: 0o600 })
    return path
  }

  test('a secret is the content of its file without the last line break', async ({
    assert,
    cleanup,
  }) => {
    const url = 'postgres://hub:pw-of-our-own@db/hub'
    const source = {
      ...without(PRODUCTION, 'DATABASE_URL', 'APP_KEY'),
      DATABASE_URL_FILE: await fileWith(cleanup, `${url}\n`),
      APP_KEY_FILE: await fileWith(cleanup, `${'k'.repeat(31)} \r\n`),
    }
    assert.containsSubset(read(source), { DATABASE_URL: url, APP_KEY: `${'k'.repeat(31)} ` })
    assert.deepEqual(warningsOf(source), warningsOf(PRODUCTION))
  })

  test('what is in a file is checked as what is in the environment, and never quoted', async ({
    assert,
    cleanup,
  }) => {
    const error = failure({
      ...without(PRODUCTION, 'CLIENT_SECRET', 'DATABASE_URL'),
      CLIENT_SECRET_FILE: await fileWith(cleanup, 'start123'),
      DATABASE_URL_FILE: await fileWith(cleanup, 'a-word-of-mine'),
    })
    assert.deepEqual(error.mistakes.map(({ name }) => name).toSorted(), [
      'CLIENT_SECRET',
      'DATABASE_URL',
    ])
    assert.notInclude(error.message, 'a-word-of-mine')
  })

  test('a file that is missing, empty, too large or beside a value is one mistake', async ({
    assert,
    cleanup,
  }) => {
    const problemsOf = (source: Source) => failure(source).mistakes.map(({ problem }) => problem)
    const base = without(PRODUCTION, 'CLIENT_SECRET')
    for (const [path, problem] of [
      ['/nowhere/secret', 'cannot be read (ENOENT)'],
      [await temporaryFolder(cleanup), 'cannot be read (EISDIR)'],
      [await fileWith(cleanup, ' \n'), 'names an empty file'],
      [await fileWith(cleanup, 'x'.repeat(65_537)), 'is larger than 64 KiB'],
    ] as const) {
      assert.deepEqual(problemsOf({ ...base, CLIENT_SECRET_FILE: path }), [problem])
    }
    const both = { ...PRODUCTION, CLIENT_SECRET_FILE: await fileWith(cleanup, 'another-secret') }
    assert.deepEqual(wrongNames(both), ['CLIENT_SECRET_FILE'])
  })

  test('only secrets have files', ({ assert }) => {
    assert.equal(read({ PORT_FILE: '/nowhere/port' }).PORT, 3000)
  })

  test('the keys of one object store do not mix with those of an older name', async ({
    assert,
    cleanup,
  }) => {
    const source = {
      MINIO_CONNECTION_STRING: 'http://old:older@minio:9000',
      S3_ENDPOINT: 'https://s3.example.org',
      S3_ACCESS_KEY_FILE: await fileWith(cleanup, 'access'),
      S3_SECRET_KEY_FILE: await fileWith(cleanup, 'secret'),
    }
    assert.containsSubset(read(source), { S3_ACCESS_KEY: 'access', S3_SECRET_KEY: 'secret' })
  })

  test('secrets that stay in the environment are known by name', async ({ assert, cleanup }) => {
    const namesIn = (source: Source) => [
      ...readConfiguration(catalogue, source).secretsInEnvironment,
    ]
    assert.sameMembers(namesIn(PRODUCTION), [
      'APP_KEY',
      'CLIENT_SECRET',
      'DATABASE_URL',
      'AMQP_URL',
      'S3_ACCESS_KEY',
      'S3_SECRET_KEY',
    ])
    const file = { CLIENT_SECRET_FILE: await fileWith(cleanup, 'a-secret-of-our-own') }
    const source = { ...without(PRODUCTION, 'CLIENT_SECRET', 'S3_SECRET_KEY'), ...file }
    assert.deepEqual(namesIn({ REDIS_URL: 'memory', DATABASE_URL: 'embedded' }), [])
    assert.notIncludeMembers(namesIn({ ...source, S3_SECRET_KEY: 'key' }), ['CLIENT_SECRET'])
  })
})

test.group('Configuration in production', () => {
  test('a fully named installation starts and has no embedded driver', ({ assert }) => {
    const env = read(PRODUCTION)
    assert.equal(env.HOST, '0.0.0.0')
    assert.isFalse(env.DOCS_ENABLED)
    assert.isUndefined(env.IDENTITY_ADMIN_PASSWORD)
    assert.deepEqual(embeddedDrivers(env), [])
  })

  test('without settings, everything that is needed is requested at once', ({ assert }) => {
    assert.sameMembers(wrongNames({ NODE_ENV: 'production' }), [
      'APP_KEY',
      'CLIENT_SECRET',
      'IDENTITY_ADMIN_PASSWORD',
      'DATABASE_URL',
      'AMQP_URL',
      'REDIS_URL',
      'S3_ENDPOINT',
      'LOGSTORE_URL',
      'IDENTITY_URL',
    ])
  })

  test('embedded drivers start when each is requested by name, and are listed', ({ assert }) => {
    const env = read({
      ...without(PRODUCTION, 'S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'IDENTITY_URL'),
      DATABASE_URL: 'embedded',
      AMQP_URL: 'memory',
      REDIS_URL: 'memory',
      STORAGE_PATH: '/srv/objects',
      LOGSTORE_URL: 'memory',
      IDENTITY_EMBEDDED: 'true',
      IDENTITY_ADMIN_PASSWORD: 'a-password-of-our-own',
    })
    const drivers = embeddedDrivers(env)
    assert.deepEqual(
      drivers.map(({ concern }) => concern),
      ['database', 'bus', 'signals', 'objects', 'logs', 'identity']
    )
    assert.include(
      drivers.find(({ concern }) => concern === 'objects')?.description,
      '/srv/objects'
    )
    assert.isTrue(
      drivers.every(({ description }) => /; set [A-Z_0-9]+ to use another$/.test(description))
    )
  })

  test('{$self} is not replaced by an embedded driver by accident')
    .with(['DATABASE_URL', 'AMQP_URL', 'REDIS_URL', 'LOGSTORE_URL', 'IDENTITY_URL'])
    .run(({ assert }, name) => {
      assert.include(wrongNames(without(PRODUCTION, name)), name)
    })

  test('an own database for each surface makes the common one unnecessary', ({ assert }) => {
    const own = {
      CORE_DATABASE_URL: 'postgres://a/core',
      STORAGE_DATABASE_URL: 'postgres://a/storage',
    }
    const source = { ...without(PRODUCTION, 'DATABASE_URL'), ...own }
    assert.equal(read({ ...source, SURFACES: 'core,storage' }).SURFACES.length, 2)
    assert.deepEqual(wrongNames({ ...source, SURFACES: 'core,telemetry' }), ['DATABASE_URL'])
  })

  test('short secrets of the administrator and the platform are refused', ({ assert }) => {
    for (const name of ['CLIENT_SECRET', 'IDENTITY_ADMIN_PASSWORD']) {
      assert.deepEqual(wrongNames({ ...PRODUCTION, [name]: 'eleven-char' }), [name])
      assert.isDefined(read({ ...PRODUCTION, [name]: 'twelve-chars' }))
      assert.isDefined(read({ [name]: 'x' }), 'outside production')
    }
  })

  test('well-known secrets are refused wherever they are', ({ assert }) => {
    const known: Source[] = [
      { CLIENT_SECRET: 'start123' },
      { CLIENT_SECRET: 'Start123' },
      { S3_SECRET_KEY: 'start123' },
      { DATABASE_URL: 'postgres://hub:start123@db/hub' },
      { DATABASE_URL: 'postgres://hub:%73tart123@db/hub' },
      { DATABASE_URL: 'postgres://hub@db/hub?password=start123' },
      { REDIS_URL: 'redis://:change-me@cache' },
      { HARBOR_URL: 'admin:change-me@harbor' },
      { APP_KEY: 'replace-me-by-32-or-more-random-characters' },
    ]
    for (const source of known) {
      assert.deepEqual(wrongNames({ ...PRODUCTION, ...source }), Object.keys(source))
      assert.notInclude(failure({ ...PRODUCTION, ...source }).message.toLowerCase(), 'start123')
    }
    const older = { ...without(PRODUCTION, 'AMQP_URL'), RABBITMQ_CONNECTION_STRING: 'true' }
    assert.deepEqual(wrongNames(older), ['AMQP_URL'])
  })

  test('every example secret of the generated files is refused', ({ assert }) => {
    for (const [name, { secret, example }] of Object.entries(flatten(catalogue.groups))) {
      if (secret && example) {
        assert.deepEqual(wrongNames({ ...PRODUCTION, [name]: example }), [name])
      }
    }
  })

  test('a short application key is refused everywhere', ({ assert }) => {
    assert.deepEqual(wrongNames({ ...PRODUCTION, APP_KEY: 'k'.repeat(31) }), ['APP_KEY'])
    assert.deepEqual(wrongNames({ APP_KEY: 'short' }), ['APP_KEY'])
  })

  test('a process needs only the settings of what it does', ({ assert }) => {
    const base = without(
      PRODUCTION,
      'S3_ENDPOINT',
      'S3_ACCESS_KEY',
      'S3_SECRET_KEY',
      'LOGSTORE_URL'
    )
    const messenger = { ...without(base, 'AMQP_URL'), SURFACES: 'messenger' }
    assert.deepEqual(read(messenger).SURFACES, ['messenger'])
    assert.deepEqual(wrongNames(without(messenger, 'REDIS_URL')), ['REDIS_URL'])
    assert.deepEqual(wrongNames({ ...base, SURFACES: 'storage' }), ['S3_ENDPOINT'])
    assert.deepEqual(wrongNames({ ...base, SURFACES: 'telemetry' }), ['LOGSTORE_URL'])
    const worker = {
      ...without(base, 'DATABASE_URL', 'REDIS_URL'),
      SURFACES: 'none',
      JOBS: 'worker',
    }
    assert.deepEqual(read(worker).JOBS, ['worker'])
    assert.deepEqual(wrongNames(without(worker, 'AMQP_URL')), ['AMQP_URL'])
    assert.deepEqual(wrongNames({ ...base, SURFACES: 'none', JOBS: 'sweeps' }), ['S3_ENDPOINT'])
  })

  test('a process with only the worker needs neither the key of the hub nor its secret', ({
    assert,
  }) => {
    const own = {
      IMAGE_SIGNING_KEY: '/run/images.key',
      WORKER_CLIENT_SECRET: 'a-secret-of-its-own',
    }
    const worker = {
      ...without(PRODUCTION, 'APP_KEY', 'CLIENT_SECRET'),
      SURFACES: 'none',
      JOBS: 'worker',
    }
    assert.isUndefined(read({ ...worker, ...own }).APP_KEY)
    assert.sameMembers(wrongNames(worker), Object.keys(own))
    assert.sameMembers(wrongNames({ ...worker, ...own, JOBS: 'worker,outbox' }), [
      'APP_KEY',
      'CLIENT_SECRET',
    ])
  })

  test('needs follow from surfaces and jobs', ({ assert }) => {
    const needs = (SURFACES_: string, JOBS_: string) => [
      ...requiredConcerns(read({ SURFACES: SURFACES_, JOBS: JOBS_ })),
    ]
    assert.deepEqual(needs('none', 'none'), [])
    assert.deepEqual(needs('messenger', 'all'), ['database', 'signals', 'identity'])
    assert.deepEqual(needs('none', 'sweeps'), ['database', 'objects', 'identity'])
    assert.deepEqual(needs('all', 'none'), [
      'database',
      'bus',
      'signals',
      'objects',
      'logs',
      'identity',
    ])
  })
})

test.group('First secrets', () => {
  const OPEN = ['0.0.0.0', '::', '192.0.2.7', 'hub.example.org']

  const settingsIn = async (
    cleanup: Parameters<typeof temporaryFolder>[0],
    source: Source = {}
  ) => ({ ...read(source), DATA_DIR: join(await temporaryFolder(cleanup), 'data') })

  test('the secrets are the ones that everybody knows where only this machine can try them', async ({
    assert,
    cleanup,
  }) => {
    for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
      const settings = await settingsIn(cleanup, { HOST })
      assert.equal(initialSecret('administrator', settings), 'start123')
      assert.equal(initialSecret('platform', settings), 'start123')
      assert.sameMembers(ownersWithoutStoredSecret(settings), ['administrator', 'platform'])
    }
  })

  test('the secrets are generated where others can try them, and stored for their owner only', async ({
    assert,
    cleanup,
  }) => {
    for (const HOST of OPEN) {
      const settings = await settingsIn(cleanup, { HOST })
      const [password, secret] = [
        initialSecret('administrator', settings),
        initialSecret('platform', settings),
      ]
      assert.isAtLeast(password.length, 24)
      assert.notEqual(password, secret)
      assert.equal(initialSecret('administrator', settings), password)
      assert.equal(initialSecret('platform', settings), secret)
      assert.isEmpty(ownersWithoutStoredSecret(settings))
      for (const [file, stored] of [
        ['admin.password', password],
        ['system.secret', secret],
      ] as const) {
        const path = join(settings.DATA_DIR, file)
        assert.equal(await readFile(path, 'utf8'), stored)
        assert.equal((await stat(path)).mode & 0o777, 0o600)
      }
    }
  })

  test('that were made up once stay, wherever is listened later', async ({ assert, cleanup }) => {
    const settings = await settingsIn(cleanup, { HOST: '0.0.0.0' })
    const password = initialSecret('administrator', settings)
    assert.equal(initialSecret('administrator', { ...settings, HOST: '127.0.0.1' }), password)
  })

  test('the secrets are those that were chosen, and none is made up beside them', async ({
    assert,
    cleanup,
  }) => {
    const chosen = { IDENTITY_ADMIN_PASSWORD: 'chosen for admin', CLIENT_SECRET: 'chosen for us' }
    const settings = await settingsIn(cleanup, { HOST: '0.0.0.0', ...chosen })
    assert.equal(initialSecret('administrator', settings), chosen.IDENTITY_ADMIN_PASSWORD)
    assert.equal(initialSecret('platform', settings), chosen.CLIENT_SECRET)
    assert.lengthOf(ownersWithoutStoredSecret(settings), 2)
  })

  test('the secrets are never made up in production', async ({ assert, cleanup }) => {
    for (const HOST of ['0.0.0.0', '127.0.0.1']) {
      const settings = { ...(await settingsIn(cleanup, PRODUCTION)), HOST }
      assert.throws(() => initialSecret('administrator', settings), /set IDENTITY_ADMIN_PASSWORD/)
      assert.lengthOf(ownersWithoutStoredSecret(settings), 2)
    }
  })

  test('that lie there broken are refused instead of being replaced', async ({
    assert,
    cleanup,
  }) => {
    const settings = { ...read({ HOST: '0.0.0.0' }), DATA_DIR: await temporaryFolder(cleanup) }
    await writeFile(join(settings.DATA_DIR, 'admin.password'), '')
    assert.throws(() => initialSecret('administrator', settings), BrokenSecretFileError)
  })
})

test.group('Configuration documents', () => {
  test('the committed files are what the catalogue says', async ({ assert }) => {
    assert.equal(await readFile('docs/configuration.md', 'utf8'), renderGuide(catalogue))
    assert.equal(await readFile('.env.example', 'utf8'), renderExample(catalogue))
  })

  test('every variable is in both, and every older name in the guide', async ({ assert }) => {
    const guide = await readFile('docs/configuration.md', 'utf8')
    const example = await readFile('.env.example', 'utf8')
    for (const [name, variable] of Object.entries(flatten(catalogue.groups))) {
      assert.include(guide, `| \`${name}\` |`)
      assert.match(example, new RegExp(`^#${name}=`, 'm'))
      assert.include(example, variable.description)
      for (const older of namesOf(name, variable)) {
        assert.include(guide, `\`${older}\``)
      }
    }
  })

  test('the example with every line uncommented is a valid development installation', ({
    assert,
  }) => {
    const lines = renderExample(catalogue).matchAll(/^#([A-Z][A-Z0-9_]*)=(.*)$/gm)
    const source = Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
    assert.deepEqual(read(source), read({}))
  })
})
