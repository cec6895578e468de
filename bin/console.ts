import 'reflect-metadata'

import { Ignitor, prettyPrintError } from '@adonisjs/core'

const APP_ROOT = new URL('../', import.meta.url)

const importer = (path: string) =>
  import(path.startsWith('./') ? new URL(path, APP_ROOT).href : path)

new Ignitor(APP_ROOT, { importer })
  .tap((app) => {
    app.listen('SIGTERM', () => app.terminate())
    app.listenIf(app.managedByPm2, 'SIGINT', () => app.terminate())
  })
  .ace()
  .handle(process.argv.splice(2))
  .catch((error: unknown) => {
    process.exitCode = 1
    void prettyPrintError(error)
  })
