import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const NGINX = '/usr/sbin/nginx'
const EXAMPLE = fileURLToPath(new URL('../../deploy/nginx/analysis-hub.conf', import.meta.url))

/** What Debian's nginx.conf has around the sites, with everything that is written in one folder. */
const around = (folder: string) => `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  include ${folder}/site.conf;
}
`

test('Debian’s nginx takes the example as it is, without a warning, and serves it', async ({
  assert,
  cleanup,
}) => {
  await ensurePackages(PACKAGES.nginx)
  const folder = await temporaryFolder(cleanup)
  const platform = createServer((request, response) =>
    response.end(JSON.stringify({ ...request.headers, url: request.url }))
  )
  await once(platform.listen(0, '127.0.0.1'), 'listening')
  cleanup(() => void platform.close())
  const port = await freePort()
  const example = await readFile(EXAMPLE, 'utf8')
  const site = example
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('127.0.0.1:3000', `127.0.0.1:${(platform.address() as AddressInfo).port}`)
    .replaceAll('/etc/ssl/hub/', `${folder}/`)
  await writeFile(join(folder, 'site.conf'), site)
  await writeFile(join(folder, 'nginx.conf'), around(folder))
  await run('openssl', [
    ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-subj', '/CN=hub.example.org', '-keyout', join(folder, 'key.pem')],
    ...['-out', join(folder, 'fullchain.pem')],
  ])

  const named = ['-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  const { stderr } = await run(NGINX, ['-t', ...named])
  assert.notInclude(stderr, '[warn]')

  const nginx = spawn('setpriv', ['--pdeathsig', 'TERM', '--', NGINX, ...named], {
    stdio: 'inherit',
  })
  const ended = once(nginx, 'exit')
  cleanup(async () => {
    nginx.kill('SIGTERM')
    await ended
  })
  const answer = await eventually(() => askOver(port).catch(() => undefined), 60_000)
  assert.containSubset(answer, {
    'url': '/core/nodes?page=1',
    'host': 'hub.example.org',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
  })
})

/** What the platform got of a request that came by HTTP/2. */
async function askOver(port: number): Promise<unknown> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  try {
    const failed = once(session, 'error').then(([error]) => Promise.reject(error))
    const headers = { ':path': '/core/nodes?page=1', ':authority': 'hub.example.org' }
    return await Promise.race([json(session.request(headers).on('error', () => {})), failed])
  } finally {
    session.destroy()
  }
}
