// The apps on the phone: how they are called, and what a customer can send in each.
import type { App, Json } from './control-client.ts'
import type { Icon } from './element.ts'

const PLACES = [
  { latitude: 52.52191, longitude: 13.413215, name: 'Alexanderplatz', address: '10178 Berlin' },
  { latitude: 48.137154, longitude: 11.576124, name: 'Marienplatz', address: '80331 München' },
  { latitude: -23.561414, longitude: -46.655881, name: 'Avenida Paulista', address: 'São Paulo' },
]
const CARD = [
  {
    name: { formatted_name: 'Tom Alder', first_name: 'Tom', last_name: 'Alder' },
    phones: [{ phone: '+1 650-555-0110', type: 'MOBILE' }],
  },
]
const aPlace = () => PLACES[Math.floor(Math.random() * PLACES.length)]!

/** What the attach menu offers: a message that is ready, or a file to choose that is sent as `type`. */
export type MenuItem = { icon: Icon; label: string } & (
  | { message: () => Json }
  | { accept: string; type: string }
)

const SAMPLE: MenuItem = { icon: 'picture', label: 'A sample picture', message: () => ({ type: 'image' }) }
const PICTURE: MenuItem = {
  icon: 'picture',
  label: 'A picture of yours',
  accept: 'image/jpeg,image/png',
  type: 'image',
}
const PLACE: MenuItem = {
  icon: 'pin',
  label: 'Location',
  message: () => {
    const { latitude, longitude } = aPlace()
    return { type: 'location', latitude, longitude }
  },
}
const FILE: MenuItem = { icon: 'file', label: 'Document', accept: '', type: 'file' }

type AppInfo = {
  name: string
  icon: Icon
  menu: MenuItem[]
  canQuote: boolean
  canReact: boolean
  canEdit: boolean
}

export const APPS: Record<App, AppInfo> = {
  whatsapp: {
    name: 'WhatsApp',
    icon: 'whatsapp',
    canQuote: true,
    canReact: true,
    canEdit: false,
    menu: [
      PICTURE,
      SAMPLE,
      { ...FILE, type: 'document' },
      { ...PLACE, message: () => ({ type: 'location', ...aPlace() }) },
      {
        icon: 'person',
        label: 'Contact card',
        message: () => ({ type: 'contacts', contacts: CARD }),
      },
      { icon: 'question', label: 'A kind WhatsApp hides', message: () => ({ type: 'unsupported' }) },
    ],
  },
  mail: { name: 'Mail', icon: 'mail', menu: [], canQuote: false, canReact: false, canEdit: false },
  telegram: {
    name: 'Telegram',
    icon: 'telegram',
    menu: [PICTURE, SAMPLE, FILE, PLACE],
    canQuote: true,
    canReact: false,
    canEdit: true,
  },
  messenger: {
    name: 'Messenger',
    icon: 'messenger',
    menu: [PICTURE, SAMPLE, FILE, PLACE],
    canQuote: true,
    canReact: false,
    canEdit: false,
  },
  sms: {
    name: 'SMS',
    icon: 'sms',
    menu: [PICTURE, SAMPLE],
    canQuote: false,
    canReact: false,
    canEdit: false,
  },
}
export const APP_ORDER = Object.keys(APPS) as App[]
