// The icons for domain terms, defined in one place.
export type { LucideIcon } from 'lucide-react'
export {
  Mail,
  MessageCircle,
  MessageSquare,
  MessagesSquare as Facebook,
  Send,
  Smartphone as Phone,
} from 'lucide-react'
