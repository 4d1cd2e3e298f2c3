/** What a caller says of an answer, and what a reviewer made of it. */

export interface Feedback {
  message_id: string;
  thread_id: string;
  user_id: string | null;
  positive_feedback: boolean | null;
  rating: number | null;
  comment: string | null;
  tags: string[];
  updated_at: string;
  /** Feedback of earlier versions lacks it; new feedback on the same answer has none. */
  review?: FeedbackReview | null;
}

/** What somebody made of an answer that was rated bad. */
export interface FeedbackReview {
  reviewed_at: string;
  reviewer: string;
  corrected_answer: string | null;
}
