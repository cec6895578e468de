import repl from '@adonisjs/core/services/repl'

import { declaredKinds } from '#records/kind'

/** `node ace repl` knows the models of its surfaces by their names: `await Node.query().preload('registry')`. */
repl.ready(() => {
  for (const { model } of declaredKinds()) {
    repl.server!.context[model.name] = model
  }
})
