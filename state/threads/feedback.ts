/** A caller's feedback on an answer, and its review. */

export interface Feedback {
  message_id: string;
  thread_id: string;
  user_id: string | null;
  positive_feedback: boolean | null;
  rating: number | null;
  comment: string | null;
  tags: string[];
  updated_at: string;
  /** Absent in feedback of earlier versions. New feedback on the same answer removes the review. */
  review?: FeedbackReview | null;
}

/** A person's review of an answer that was rated bad. */
export interface FeedbackReview {
  reviewed_at: string;
  reviewer: string;
  corrected_answer: string | null;
}
