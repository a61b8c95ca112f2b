// Streams a part's base64 up to its padding. Mailing lists and scanners append text, which the usual decoders would
// decode as well.
import { Transform, type TransformCallback } from 'node:stream'

export class Base64Decoding extends Transform {
  #rest = ''
  #isOver = false

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#isOver) {
      done()
      return
    }
    let text = this.#rest + chunk.toString('latin1').replace(/[^a-zA-Z0-9+/=]/g, '')
    const padding = text.indexOf('=')
    if (padding !== -1) {
      this.#isOver = true
      text = text.slice(0, padding)
    }
    const length = this.#isOver ? text.length : text.length - (text.length % 4)
    this.#rest = text.slice(length)
    done(null, Buffer.from(text.slice(0, length), 'base64'))
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#rest, 'base64'))
  }
}
