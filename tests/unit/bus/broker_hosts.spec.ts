import { test } from '@japa/runner'

import { BrokerAddress, BrokerHosts } from '#bus/amqp/broker_hosts'

const URL = 'amqp://u:p%40w@one,two:5673,[::1]/%2Fhub?heartbeat=9&hostname=x'

test.group('Hosts of a broker', () => {
  test('hosts are used in order, each until it fails, and again from the first', ({ assert }) => {
    const hosts = new BrokerHosts(URL)
    const [one, two, three] = [
      { host: 'one', port: 5672 },
      { host: 'two', port: 5673 },
      { host: '::1', port: 5672 },
    ]
    assert.deepEqual(hosts.current, one)
    hosts.suspect(two)
    assert.deepEqual(hosts.current, one)
    hosts.suspect(one)
    hosts.suspect(one)
    assert.deepEqual(hosts.current, two)
    hosts.suspect(two)
    assert.deepEqual(hosts.current, three)
    hosts.suspect(three)
    assert.deepEqual(hosts.current, one)
  })

  test('an address shows the current host at each attempt, with the rest of the URL', ({
    assert,
  }) => {
    const hosts = new BrokerHosts(URL)
    const address = new BrokerAddress(URL, hosts, { heartbeat: 5 })
    assert.deepInclude(address as object, {
      protocol: 'amqp',
      username: 'u',
      password: 'p@w',
      vhost: '%2Fhub',
      heartbeat: '9',
    })
    assert.deepEqual([address.hostname, address.port], ['one', 5672])
    hosts.suspect(address.attempted)
    assert.deepEqual([address.hostname, address.port], ['two', 5673])
  })

  test('one without an account is that of a guest, as its client has it', ({ assert }) => {
    const address = new BrokerAddress('amqps://one', new BrokerHosts('amqps://one'), {
      heartbeat: 5,
    })
    assert.deepEqual([address.username, address.password, address.port], ['guest', 'guest', 5671])
  })
})
