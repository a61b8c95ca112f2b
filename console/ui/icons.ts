// The icons that stand for our own things, chosen once.
export type { LucideIcon } from 'lucide-react'
export {
  Mail,
  MessageCircle,
  MessageSquare,
  MessagesSquare as Facebook,
  Send,
  Smartphone as Phone,
} from 'lucide-react'
