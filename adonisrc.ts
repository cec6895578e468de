import { defineConfig } from '@adonisjs/core/app'

export default defineConfig({
  commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],
  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    () => import('@adonisjs/core/providers/hash_provider'),
    { file: () => import('@adonisjs/core/providers/repl_provider'), environment: ['repl'] },
    () => import('@adonisjs/lucid/database_provider'),
    () => import('@adonisjs/drive/drive_provider'),
    () => import('#providers/http_provider'),
    () => import('#providers/identity_provider'),
    () => import('#providers/connections_provider'),
    () => import('#providers/messaging_provider'),
    () => import('#providers/services_provider'),
    () => import('#providers/logs_provider'),
    () => import('#providers/relay_provider'),
    () => import('#providers/neighbours_provider'),
    () => import('#providers/administration_provider'),
    () => import('#providers/presence_provider'),
    () => import('#providers/shipping_provider'),
  ],
  preloads: [
    () => import('#start/kernel'),
    () => import('#start/routes'),
    { file: () => import('#start/repl'), environment: ['repl'] },
  ],
  directories: { migrations: 'database/migrations' },
  tests: { suites: [], forceExit: false },
})
