/**
 * The core surface of the production build, alone on its port, with one caller whose token is known already.
 */
import 'reflect-metadata'

const build = (path) => import(new URL(`../../build/${path}.js`, import.meta.url).href)

const { Ignitor } = await import('@adonisjs/core')
const { Authenticator } = await build('app/auth/authenticator')
const { createListener } = await build('app/http/listener')
const { createRequestListener } = await build('app/http/request_listener')
const { drain } = await build('packages/kernel/src/drain')
const { migrate } = await build('app/database/migrator')

const root = new URL('../../build/', import.meta.url)
const importer = (path) => import(path.startsWith('./') ? new URL(path, root).href : path)
const app = new Ignitor(root, { importer }).createApp('web')
const caller = {
  kind: 'robot',
  id: 'aaaaaaaa-0000-4000-8000-000000000009',
  name: 'bench',
  realmId: 'aaaaaaaa-0000-4000-8000-000000000001',
  realmName: 'master',
  clientId: null,
  permissions: new Set(process.env.BENCH_PERMISSIONS?.split(',')),
  expiresAt: Number.MAX_SAFE_INTEGER,
}

await app.init()
await app.boot()
app.container.singleton(Authenticator, () => ({ verify: () => caller }))
if (process.env.BENCH_MIGRATE) {
  await migrate(app, ['core'])
}
await app.start(() => {})
const handle = await createRequestListener(app)
const listener = createListener(handle, { prefix: '/core', drain })
listener.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'))
