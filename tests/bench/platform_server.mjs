/**
 * The surfaces that SURFACES names, of the production build, as one web process of a pool: what follows from a request is
 * written down and left to other processes.
 */
import 'reflect-metadata'

const build = (path) => import(new URL(`../../build/${path}.js`, import.meta.url).href)

const { Ignitor } = await import('@adonisjs/core')
const { createListener } = await build('app/http/listener')
const { createRequestListener } = await build('app/http/request_listener')
const { drain } = await build('packages/kernel/src/drain')
const { migrate } = await build('app/database/migrator')

const root = new URL('../../build/', import.meta.url)
const importer = (path) => import(path.startsWith('./') ? new URL(path, root).href : path)
const app = new Ignitor(root, { importer }).createApp('web')

await app.init()
await app.boot()
await migrate(app, process.env.SURFACES.split(','))
await app.start(() => {})
const handle = await createRequestListener(app)
const listener = createListener(handle, { prefix: '', drain })
listener.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'))
