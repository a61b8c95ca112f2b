// The apps on the phone: their names, and what a customer can send in each.
import {
  CircleHelp,
  FileText,
  Image as ImageIcon,
  ImagePlus,
  type LucideIcon,
  MapPin,
  UserRound,
} from 'lucide-react'
import { channelIcon } from '../../console/ui/badge.tsx'
import type { App, Json } from './client.ts'

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

/** An entry of the attach menu: a ready-made message, or a file to choose that is sent as `type`. */
export type MenuEntry = { icon: LucideIcon; label: string } & (
  | { message: () => Json }
  | { accept: string; type: string }
)

const UPLOAD: MenuEntry = {
  icon: ImagePlus,
  label: 'Upload an image',
  accept: 'image/jpeg,image/png',
  type: 'image',
}
const SAMPLE: MenuEntry = { icon: ImageIcon, label: 'Sample image', message: () => ({ type: 'image' }) }
const FILE: MenuEntry = { icon: FileText, label: 'Document', accept: '', type: 'file' }
const PLACE: MenuEntry = {
  icon: MapPin,
  label: 'Location',
  message: () => {
    const { latitude, longitude } = aPlace()
    return { type: 'location', latitude, longitude }
  },
}
const WHATSAPP_MENU: MenuEntry[] = [
  UPLOAD,
  SAMPLE,
  { ...FILE, type: 'document' },
  { ...PLACE, message: () => ({ type: 'location', ...aPlace() }) },
  { icon: UserRound, label: 'Contact card', message: () => ({ type: 'contacts', contacts: CARD }) },
  { icon: CircleHelp, label: 'Unsupported message', message: () => ({ type: 'unsupported' }) },
]

type AppInfo = { name: string; icon: LucideIcon; menu: MenuEntry[]; can: ('quote' | 'react' | 'edit')[] }

export const APPS: Record<App, AppInfo> = {
  whatsapp: {
    name: 'WhatsApp',
    icon: channelIcon('whatsapp'),
    menu: WHATSAPP_MENU,
    can: ['quote', 'react'],
  },
  mail: { name: 'Mail', icon: channelIcon('email'), menu: [], can: [] },
  telegram: {
    name: 'Telegram',
    icon: channelIcon('telegram'),
    menu: [UPLOAD, SAMPLE, FILE, PLACE],
    can: ['quote', 'react', 'edit'],
  },
  messenger: {
    name: 'Messenger',
    icon: channelIcon('facebook'),
    menu: [UPLOAD, SAMPLE, FILE, PLACE],
    can: ['quote', 'react'],
  },
  sms: { name: 'SMS', icon: channelIcon('sms'), menu: [UPLOAD, SAMPLE], can: [] },
}
