import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

import { debianRoot } from '#tests/services/servers/debian_root'
import { goProgram } from '#tests/services/servers/go_program'
import type { Podman } from '#tests/services/servers/podman'

/** What stands in for an image of others that cannot be pulled here. */
interface StandIn {
  /** The name of the image without its tag. */
  readonly image: string
  /** Programs of the Go module proxy, in the version of the tag, and where the image has them. */
  readonly program?: readonly [from: string, to: string]
  /** The rest of its Containerfile. */
  readonly lines: readonly string[]
}

const COMPOSE_FILE = fileURLToPath(new URL('../../../deploy/compose.yaml', import.meta.url))
/** The user of the images of PostgreSQL, RabbitMQ and Redis. */
const USER = 999
const BASE = 'localhost/stand-in-base:1'
const PACKAGES = ['postgresql-17', 'rabbitmq-server', 'redis-server', 'ca-certificates', 'wget']
const CADDY = ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile']

/** They read the same variables and files as the images: `POSTGRES_…` here, the others by their programs themselves. */
const INITIALIZE = `#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl -w -o "-c listen_addresses=" start
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") createdb -h /var/run/postgresql -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -w -m fast stop
fi
exec "$@" -c listen_addresses='*'
`

const STAND_INS: readonly StandIn[] = [
  {
    image: 'docker.io/library/postgres',
    lines: [
      'COPY initialize /usr/local/bin/',
      'ENV PGDATA=/var/lib/postgresql/data PATH=/usr/local/bin:/usr/lib/postgresql/17/bin:/usr/bin:/bin',
      'ENTRYPOINT ["initialize"]',
    ],
  },
  {
    image: 'docker.io/library/rabbitmq',
    lines: [
      'ENV HOME=/var/lib/rabbitmq LANG=C.UTF-8 PATH=/usr/lib/rabbitmq/bin:/usr/bin:/bin',
      'CMD ["rabbitmq-server"]',
    ],
  },
  { image: 'docker.io/library/redis', lines: [] },
  {
    image: 'docker.io/library/caddy',
    program: ['github.com/caddyserver/caddy/v2/cmd/caddy', '/usr/bin/'],
    lines: ['ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config', `CMD ${JSON.stringify(CADDY)}`],
  },
  {
    image: 'ghcr.io/versity/versitygw',
    program: ['github.com/versity/versitygw/cmd/versitygw', '/app/'],
    lines: ['ENTRYPOINT ["/app/versitygw"]'],
  },
  {
    image: 'docker.io/victoriametrics/victoria-logs',
    program: ['github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs', '/victoria-logs-prod'],
    lines: ['ENTRYPOINT ["/victoria-logs-prod"]'],
  },
]

/**
 * Makes images from packages of Debian and of the Go module proxy under the names that the file of Compose has, so
 * that it is used as it is. `folder` is an empty one.
 */
export async function makeStandIns(podman: Podman, folder: string): Promise<void> {
  await podman.must('import', await servers(), BASE)
  await writeFile(join(folder, 'initialize'), INITIALIZE, { mode: 0o755 })
  const tags = await tagsIn(COMPOSE_FILE)
  for (const standIn of STAND_INS) {
    const tag = tags.get(standIn.image)
    if (tag === undefined) {
      throw new Error(`compose.yaml names no image ${standIn.image}`)
    }
    await makeStandIn(podman, folder, { ...standIn, tag })
  }
}

async function makeStandIn(
  podman: Podman,
  folder: string,
  { image, tag, program, lines }: StandIn & { tag: string }
): Promise<void> {
  const copies: string[] = []
  if (program) {
    const [from, to] = program
    const version = tag.startsWith('v') ? tag : `v${tag}`
    await copyFile(await goProgram({ from, version }), join(folder, basename(from)))
    copies.push(`COPY ${basename(from)} ${to}`)
  }
  const containerfile = join(folder, 'Containerfile')
  await writeFile(containerfile, [`FROM ${BASE}`, ...copies, ...lines, ''].join('\n'))
  const named = ['--isolation=chroot', '--file', containerfile, '--tag', `${image}:${tag}`]
  await podman.must('build', '--quiet', ...named, folder)
}

async function tagsIn(file: string): Promise<Map<string, string>> {
  const { services } = parse(await readFile(file, 'utf8'), { merge: true }) as {
    services: Record<string, { image: string }>
  }
  return new Map(
    Object.values(services).map(({ image }) => {
      const colon = image.lastIndexOf(':')
      return [image.slice(0, colon), image.slice(colon + 1)]
    })
  )
}

/** A root of Debian with the servers, whose users have the number of the images. */
function servers(): Promise<string> {
  const users = ['postgres', 'rabbitmq', 'redis']
  return debianRoot({
    name: 'servers',
    packages: PACKAGES,
    hooks: [
      ...users.flatMap((user) => [
        `chroot "$1" groupmod -o -g ${USER} ${user}`,
        `chroot "$1" usermod -o -u ${USER} ${user}`,
      ]),
      `install -d -o ${USER} -g ${USER} -m 700 "$1/var/lib/postgresql/data"`,
      `chown -R ${USER}:${USER} "$1/var/lib/rabbitmq" "$1/var/log/rabbitmq" "$1/var/lib/redis"`,
    ],
  })
}
