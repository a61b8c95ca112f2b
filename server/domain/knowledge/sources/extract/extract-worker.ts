// The limit of a thread's heap doesn't count buffers, which is where a small file unpacks to a large one.
import { serveThread } from '../../../../platform/serve-thread.ts'
import { type ExtractTask, extract } from './extract-work.ts'

const BUFFER_BYTES_MAX = 64 * 1024 * 1024

globalThis.Uint8Array = new Proxy(Uint8Array, {
  construct: (target, given, self) => {
    if (typeof given[0] === 'number' && given[0] > BUFFER_BYTES_MAX)
      throw new RangeError('a buffer would be larger than 64 MiB')
    return Reflect.construct(target, given, self)
  },
})

serveThread<ExtractTask>(extract)
