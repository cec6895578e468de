import { defineConfig } from '@adonisjs/core/app'

export default defineConfig({
  commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],
  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    () => import('@adonisjs/core/providers/hash_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    () => import('@adonisjs/drive/drive_provider'),
    () => import('#providers/http_provider'),
    () => import('#providers/identity_provider'),
    () => import('#providers/connections_provider'),
    () => import('#providers/messaging_provider'),
    () => import('#providers/services_provider'),
    () => import('#providers/neighbours_provider'),
  ],
  preloads: [() => import('#start/kernel'), () => import('#start/routes')],
  directories: { migrations: 'database/migrations' },
  tests: { suites: [], forceExit: false },
})
