// The business's own shop system, as far as an action of a flow needs it: looks up orders by their number.
import { type App, type Json, Refusal } from './http.ts'

/** Some are what customers of the demo write about. */
const ORDERS: Record<string, Json> = {
  '1182': { status: 'delivered', items: ['4 soup bowls'], expectedOn: null, carrier: 'DHL' },
  '1207': { status: 'delivered', items: ['Teapot, celadon'], expectedOn: null, carrier: 'UPS' },
  '1215': { status: 'on its way', items: ['2 mugs', 'Tray'], expectedOn: 'Thursday', carrier: 'DHL' },
  '1220': { status: 'being packed', items: ['Vase, tall'], expectedOn: 'Monday', carrier: null },
}

export const registerShop = (app: App): void => {
  app.get<{ Params: { number: string } }>('/shop/orders/:number', async ({ params }) => {
    const number = params.number.trim().replace(/^(hk-|#)/i, '')
    const order = Object.hasOwn(ORDERS, number) ? ORDERS[number] : undefined
    if (!order) throw new Refusal('no such order', { http: 404, body: { error: 'No such order.' } })
    return { order: { number, ...order } }
  })
}
